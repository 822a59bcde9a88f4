# SPDX-License-Identifier: MIT
"""``python -m dapplewood``."""

import sys

from .cli import main

sys.exit(main())

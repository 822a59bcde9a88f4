# SPDX-License-Identifier: MIT
"""A place to render in, cleared up behind each test."""

from __future__ import annotations

import pytest
from helpers_render import Studio


@pytest.fixture
def studio(vulkan_device):
    studio = Studio(vulkan_device)
    yield studio
    studio.close()

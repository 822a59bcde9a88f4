// SPDX-License-Identifier: MIT
#version 460

layout(early_fragment_tests) in;
layout(location = 0) out vec4 out_color;

void main()
{
    out_color = vec4(0.001);
}

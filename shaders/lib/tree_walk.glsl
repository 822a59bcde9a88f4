// SPDX-License-Identifier: MIT
// A ray against the boxes and triangles of one tree, as shared/tree_walk.h says; boxes are wide
// enough for loose arithmetic.

struct tree_walk {
    dw_tree_ray ray;
    dw_tree_walk rules;
    tree_rows nodes;
    tree_rows triangles;
    vec3 factor; // of planes: from steps or coordinates to the way along the ray
    vec3 near, far;
    bool is_f32;
    uint64_t vertices;
    uint stride;
};

float largest(vec3 v)
{
    return max(max(v.x, v.y), v.z);
}

vec3 vector_of(float values[3])
{
    return vec3(values[0], values[1], values[2]);
}

dw_tree_frame load_frame(dw_tree_mesh mesh)
{
    tree_words head = tree_words(tree_section(mesh, 0u) + uint64_t(4u * DW_TREE_HEAD_FRAME));
    dw_tree_frame frame;

    for (uint i = 0u; i < 3u; i++) {
        frame.origin[i] = uintBitsToFloat(head.data[i]);
        frame.step[i] = uintBitsToFloat(head.data[3u + i]);
        frame.inverse[i] = 0.0f;
    }
    frame.scale = uintBitsToFloat(head.data[9]);
    frame.inactive = 0u;
    frame.is_empty = head.data[11];
    return frame;
}

tree_walk begin_walk(dw_tree_mesh mesh, vec3 from, vec3 direction)
{
    dw_tree_frame frame = load_frame(mesh);
    tree_walk walk;

    walk.ray = dw_tree_ray_of(from.x, from.y, from.z, direction.x, direction.y, direction.z,
                              frame.scale);
    walk.rules = dw_tree_walk_of(walk.ray, frame);
    walk.nodes = tree_rows(tree_section(mesh, mesh.nodes));
    walk.triangles = tree_rows(tree_section(mesh, mesh.triangles));
    walk.is_f32 = mesh_has(mesh, DW_TREE_IS_F32);
    if (walk.is_f32) {
        walk.factor = frame.scale * vector_of(walk.rules.inverse);
        walk.near = -vector_of(walk.rules.widening);
        walk.far = vector_of(walk.rules.widening);
    } else { // planes come as 65536 + q
        walk.factor = vector_of(walk.rules.factor);
        walk.near = vector_of(walk.rules.near) - 65536.0f * walk.factor;
        walk.far = vector_of(walk.rules.far) - 65536.0f * walk.factor;
    }
    walk.vertices = tree_address(mesh.vertices_low, mesh.vertices_high);
    walk.stride = mesh.vertex_stride;
    return walk;
}

// Where along the ray a box begins and ends.
vec2 box_range(tree_walk walk, vec3 at_near, vec3 at_far)
{
    vec3 near = at_near * walk.factor + walk.near;
    vec3 far = at_far * walk.factor + walk.far;

    return vec2(largest(near), min(min(far.x, far.y), far.z));
}

// 65536 + plane, without a conversion of numbers.
vec3 low_planes(uvec3 words)
{
    return uintBitsToFloat((words << 7 & 0x7fff80u) | 0x47800000u);
}

vec3 high_planes(uvec3 words)
{
    return uintBitsToFloat((words >> 9 & 0x7fff80u) | 0x47800000u);
}

vec2 planes_range(tree_walk walk, uvec3 words)
{
    bvec3 is_back = lessThan(walk.factor, vec3(0.0f));
    vec3 low = low_planes(words), high = high_planes(words);

    return box_range(walk, mix(low, high, is_back), mix(high, low, is_back));
}

vec2 floats_range(tree_walk walk, uvec3 low_words, uvec3 high_words)
{
    vec3 from = vector_of(walk.ray.origin);
    bvec3 is_back = lessThan(walk.factor, vec3(0.0f));
    vec3 low = uintBitsToFloat(low_words) - from, high = uintBitsToFloat(high_words) - from;

    return box_range(walk, mix(low, high, is_back), mix(high, low, is_back));
}

// Refs and ranges of a node's children.
void visit(tree_walk walk, uint node, out uvec2 refs, out vec2 left, out vec2 right)
{
    if (walk.is_f32) {
        uvec4 first = walk.nodes.data[4u * node], third = walk.nodes.data[4u * node + 2u];

        refs = uvec2(first.w, third.w);
        left = floats_range(walk, first.xyz, walk.nodes.data[4u * node + 1u].xyz);
        right = floats_range(walk, third.xyz, walk.nodes.data[4u * node + 3u].xyz);
    } else {
        uvec4 first = walk.nodes.data[2u * node], second = walk.nodes.data[2u * node + 1u];

        refs = uvec2(first.w, second.w);
        left = planes_range(walk, first.xyz);
        right = planes_range(walk, second.xyz);
    }
}

vec3 load_vertex(tree_walk walk, uint vertex, inout uint most)
{
    uvec3 bits = load_point(walk.vertices, vertex * walk.stride);
    uvec3 sizes = bits & 0x7fffffffu;

    most = max(max(most, sizes.x), max(sizes.y, sizes.z));
    return vec3(dw_tree_coordinate(bits.x), dw_tree_coordinate(bits.y),
                dw_tree_coordinate(bits.z));
}

// `primitive`: the triangle's row.
dw_tree_hit meet_triangle(tree_walk walk, uint triangle, out uint primitive)
{
    uvec4 row = walk.triangles.data[triangle];
    uint most = 0u;
    vec3 a = load_vertex(walk, row.x, most);
    vec3 b = load_vertex(walk, row.y, most);
    vec3 c = load_vertex(walk, row.z, most);
    dw_tree_hit hit = dw_tree_ray_hit(walk.ray, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z);

    primitive = row.w;
    hit.is_hit = dw_tree_in_range(most) ? hit.is_hit : 0u;
    return hit;
}

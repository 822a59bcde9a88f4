// SPDX-License-Identifier: MIT
// Boxes of a treelet's nodes from a pose. The including file gives tree_box, how boxes are made,
// joined, kept in shared memory and stored in nodes.

layout(local_size_x = 8, local_size_x_id = 0) in;
layout(constant_id = 1) const bool IS_SERIAL = false; // a lane a treelet, else a workgroup

dw_tree_mesh mesh;
dw_tree_treelet treelet;

// ---- triangles ----

void add_corner(uint64_t address, uint at, inout vec3 low, inout vec3 high, inout uint most)
{
    uvec3 bits = load_point(address, at);
    uvec3 sizes = bits & 0x7fffffffu;
    vec3 point = vec3(dw_tree_coordinate(bits.x), dw_tree_coordinate(bits.y),
                      dw_tree_coordinate(bits.z));

    most = max(max(most, sizes.x), max(sizes.y, sizes.z));
    low = min(low, point);
    high = max(high, point);
}

// The box of a triangle or, over boxes, of an item; `inactive` counts those without one.
tree_box triangle_box(uint triangle, inout uint inactive)
{
    uvec4 row = row_of(tree_pairs(tree_section(mesh, mesh.triangles)).data[triangle]);
    uint64_t vertices = tree_address(mesh.vertices_low, mesh.vertices_high);
    vec3 low = vec3(DW_TREE_FAR), high = vec3(-DW_TREE_FAR);
    uint most = 0u;

    if (mesh_has(mesh, DW_TREE_IS_OVER_BOXES)) {
        vec3 none_low = low, none_high = high;

        add_corner(vertices, 6u * row.w, low, none_high, most);
        add_corner(vertices, 6u * row.w + 3u, none_low, high, most);
        most = any(greaterThan(low, high)) ? ~0u : most;
    } else {
        add_corner(vertices, row.x * mesh.vertex_stride, low, high, most);
        add_corner(vertices, row.y * mesh.vertex_stride, low, high, most);
        add_corner(vertices, row.z * mesh.vertex_stride, low, high, most);
    }
    if (!dw_tree_in_range(most & 0x7fffffffu) || most == ~0u) {
        inactive++;
        return box_none();
    }
    return box_of(low, high);
}

bool is_dirty(uint item)
{
    tree_words bits = tree_words(tree_address(mesh.dirty_low, mesh.dirty_high));

    return (bits.data[item >> 5] >> (item & 31u) & 1u) != 0u;
}

bool has_moved(uint triangle)
{
    uvec4 row = row_of(tree_pairs(tree_section(mesh, mesh.triangles)).data[triangle]);

    return mesh_has(mesh, DW_TREE_IS_OVER_BOXES)
               ? is_dirty(row.w)
               : is_dirty(row.x) || is_dirty(row.y) || is_dirty(row.z);
}

void write_root(tree_box box)
{
    tree_floats head = tree_floats(tree_section(mesh, 0u));
    vec3 low = box_low(box), high = box_high(box);

    for (uint axis = 0u; axis < 3u; axis++) {
        head.data[DW_TREE_HEAD_ROOT + axis] = low[axis];
        head.data[DW_TREE_HEAD_ROOT + 3u + axis] = high[axis];
    }
}

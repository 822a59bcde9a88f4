// SPDX-License-Identifier: MIT
// One lane a treelet: nodes from the last to the first, so that children come before their parents.

tree_box leaf_box(uint ref, inout uint inactive)
{
    uint first = DW_TREE_LEAF_FIRST(ref), end = first + DW_TREE_LEAF_COUNT(ref);
    tree_box box = triangle_box(first, inactive);

    for (uint i = first + 1u; i < end; i++)
        box = box_join(box, triangle_box(i, inactive));
    return box;
}

tree_box child_box(uint ref, inout uint inactive)
{
    if (DW_TREE_IS_NODE(ref))
        return node_box(mesh, ref);
    return ref == DW_TREE_NONE ? box_none() : leaf_box(ref, inactive);
}

void refit_serial(uint row, bool is_partial)
{
    bool wants_sums = mesh_has(mesh, DW_TREE_WANTS_SUMS);
    bool has_work = !is_partial;
    refit_sums sums = no_sums();

    for (uint i = 0u; i < treelet.triangle_count && !has_work; i++)
        has_work = has_moved(treelet.first_triangle + i);
    if (!has_work)
        return;
    for (uint i = treelet.node_count; i > 0u; i--) {
        uint node = treelet.first_node + i - 1u;
        uvec2 refs = node_refs(mesh, node);
        tree_box left = child_box(refs.x, sums.inactive);
        tree_box right = child_box(refs.y, sums.inactive);

        node_write(mesh, node, refs, left, right);
        if (wants_sums) {
            add_child(sums, refs.x, left);
            add_child(sums, refs.y, right);
        }
        if (node == 0u) {
            write_root(box_join(left, right));
            add_products(sums.inner, box_join(left, right), 1u);
        }
    }
    if (wants_sums)
        write_sums(row, sums);
}

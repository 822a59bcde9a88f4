// SPDX-License-Identifier: MIT
// One lane a treelet: the boxes of its triangles, then nodes from the last to the first, so that
// children come before their parents. Boxes of finished subtrees wait on a stack.

tree_box boxes_ahead[DW_TREE_TREELET];
tree_box waiting[DW_TREE_DEPTH_MAX + 1u];
uint waiting_count;

bool is_within(uint ref)
{
    return DW_TREE_IS_NODE(ref) && ref - treelet.first_node < treelet.node_count;
}

tree_box child_box(uint ref)
{
    if (is_within(ref))
        return waiting[--waiting_count];
    if (DW_TREE_IS_NODE(ref))
        return node_box(mesh, ref);
    if (ref == DW_TREE_NONE)
        return box_none();
    uint at = DW_TREE_LEAF_FIRST(ref) - treelet.first_triangle;
    uint last = at + DW_TREE_LEAF_COUNT(ref) - 1u;
    tree_box box = boxes_ahead[last];

    for (; at < last; at++)
        box = box_join(box, boxes_ahead[at]);
    return box;
}

void refit_serial(uint row, bool is_partial)
{
    bool wants_sums = mesh_has(mesh, DW_TREE_WANTS_SUMS);
    bool has_work_here = !is_partial;
    refit_sums sums = no_sums();

    for (uint i = 0u; i < treelet.triangle_count && !has_work_here; i++)
        has_work_here = has_moved(treelet.first_triangle + i);
    if (!has_work_here)
        return;
    for (uint i = 0u; i < treelet.triangle_count; i++)
        boxes_ahead[i] = triangle_box(treelet.first_triangle + i, sums.inactive);
    waiting_count = 0u;
    for (uint i = treelet.node_count; i > 0u; i--) {
        uint node = treelet.first_node + i - 1u;
        uvec2 refs = node_refs(mesh, node);
        tree_box left = child_box(refs.x);
        tree_box right = child_box(refs.y);

        waiting[waiting_count++] = box_join(left, right);
        node_write(mesh, node, refs, left, right);
        if (wants_sums) {
            add_child(sums, refs.x, left);
            add_child(sums, refs.y, right);
        }
    }
    if (treelet.first_node == 0u) {
        write_root(waiting[0]);
        add_products(sums.inner, waiting[0], 1u);
    }
    if (wants_sums)
        write_sums(row, sums);
}

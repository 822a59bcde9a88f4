// SPDX-License-Identifier: MIT
// One workgroup a treelet. A node's subtree is a run of nodes, so its box is the join of a run of
// boxes: of what each node of it has for leaves. Joins of 1, 2, 4, 8.. nodes are made in rounds,
// and each node takes the two that cover its run: none waits for another, whatever the shape.

#define SLOTS 2u // nodes a lane: workgroups have at least DW_TREE_TREELET / 2 lanes

shared uint next_nodes[DW_TREE_TREELET]; // on the way to the last node below; none: itself
shared uint has_work;

uint last_side; // where the boxes of whole subtrees are kept

bool is_inside(uint ref)
{
    return DW_TREE_IS_NODE(ref) && ref - treelet.first_node < treelet.node_count;
}

void box_triangles(uint lane, bool wants_sums)
{
    uint inactive = 0u;

    for (uint i = lane; i < treelet.triangle_count; i += gl_WorkGroupSize.x)
        keep_box(1u, i, triangle_box(treelet.first_triangle + i, inactive));
    if (wants_sums && inactive != 0u)
        atomicAdd(inactive_count, inactive);
}

// The box of a leaf or of another treelet's root; none for nodes of this treelet.
tree_box outer_box(uint ref)
{
    if (is_inside(ref) || ref == DW_TREE_NONE)
        return box_none();
    if (DW_TREE_IS_NODE(ref))
        return node_box(mesh, ref);
    uint first = DW_TREE_LEAF_FIRST(ref) - treelet.first_triangle;
    uint last = first + DW_TREE_LEAF_COUNT(ref) - 1u;
    tree_box box = kept_box(1u, first);

    for (uint i = first + 1u; i <= last; i++)
        box = box_join(box, kept_box(1u, i));
    return box;
}

// Nodes of the subtree within the treelet.
uint run_of(uint node)
{
    uint last = node;

    for (uint i = 0u; i < DW_TREE_DEPTH_MAX && next_nodes[last] != last; i++)
        last = next_nodes[last];
    return last + 1u - node;
}

bool is_untouched(uint lane)
{
    bool has_any = false;

    for (uint i = lane; i < treelet.triangle_count; i += gl_WorkGroupSize.x)
        has_any = has_any || has_moved(treelet.first_triangle + i);
    if (has_any)
        atomicOr(has_work, 1u);
    barrier();
    return has_work == 0u;
}

void begin_wide(uint lane)
{
    for (uint i = lane; i < 6u; i += gl_WorkGroupSize.x)
        low_sums[i] = high_sums[i] = 0u;
    if (lane == 0u)
        inactive_count = has_work = 0u;
    barrier();
}

void load_refs(uint lane, out uvec2 refs[SLOTS])
{
    for (uint s = 0u; s < SLOTS; s++) {
        uint i = s * gl_WorkGroupSize.x + lane;

        refs[s] = uvec2(DW_TREE_NONE);
        if (i >= treelet.node_count)
            continue;
        refs[s] = node_refs(mesh, treelet.first_node + i);
        next_nodes[i] = (is_inside(refs[s].y)   ? refs[s].y
                         : is_inside(refs[s].x) ? refs[s].x
                                                : treelet.first_node + i) -
                        treelet.first_node;
    }
}

/* Joins of runs of nodes, from what each has for itself; gives each node that of its subtree. */
void join_runs(uint lane, inout tree_box boxes[SLOTS])
{
    tree_box windows[SLOTS] = boxes;
    uint runs[SLOTS];
    uint side = 0u;

    for (uint s = 0u; s < SLOTS; s++) {
        uint i = s * gl_WorkGroupSize.x + lane;

        runs[s] = i < treelet.node_count ? run_of(i) : 0u;
    }
    for (uint width = 1u; width <= treelet.node_count; width <<= 1) {
        for (uint s = 0u; s < SLOTS; s++)
            if (runs[s] != 0u)
                keep_box(side, s * gl_WorkGroupSize.x + lane, windows[s]);
        barrier();
        for (uint s = 0u; s < SLOTS; s++) {
            uint i = s * gl_WorkGroupSize.x + lane;

            if (runs[s] >= width && runs[s] < 2u * width)
                boxes[s] = box_join(windows[s], kept_box(side, i + runs[s] - width));
            if (i + width < treelet.node_count)
                windows[s] = box_join(windows[s], kept_box(side, i + width));
        }
        side ^= 1u;
    }
    for (uint s = 0u; s < SLOTS; s++)
        if (runs[s] != 0u)
            keep_box(side, s * gl_WorkGroupSize.x + lane, boxes[s]);
    barrier();
    last_side = side;
}

tree_box final_box(uint ref, tree_box outer)
{
    return is_inside(ref) ? kept_box(last_side, ref - treelet.first_node) : outer;
}

void refit_wide(uint row, bool is_partial)
{
    bool wants_sums = mesh_has(mesh, DW_TREE_WANTS_SUMS);
    uint lane = gl_LocalInvocationIndex;
    tree_box left[SLOTS], right[SLOTS], boxes[SLOTS];
    uvec2 refs[SLOTS];

    if (wants_sums || is_partial)
        begin_wide(lane);
    if (is_partial && is_untouched(lane))
        return;
    load_refs(lane, refs);
    box_triangles(lane, wants_sums);
    barrier();
    for (uint s = 0u; s < SLOTS; s++) {
        left[s] = outer_box(refs[s].x);
        right[s] = outer_box(refs[s].y);
        boxes[s] = box_join(left[s], right[s]);
    }
    join_runs(lane, boxes);
    for (uint s = 0u; s < SLOTS; s++) {
        uint i = s * gl_WorkGroupSize.x + lane;

        if (i >= treelet.node_count)
            continue;
        left[s] = final_box(refs[s].x, left[s]);
        right[s] = final_box(refs[s].y, right[s]);
        node_write(mesh, treelet.first_node + i, refs[s], left[s], right[s]);
        if (wants_sums) {
            share_child(refs[s].x, left[s]);
            share_child(refs[s].y, right[s]);
        }
        if (treelet.first_node + i == 0u) {
            write_root(boxes[s]);
            if (wants_sums)
                share_products(0u, boxes[s], 1u);
        }
    }
    if (wants_sums)
        write_shared_sums(row, lane);
}

// SPDX-License-Identifier: MIT
// One workgroup a treelet, a lane a triangle and a node. A node's subtree is a run of nodes, so its
// box is the join of a run of boxes: of what each node of it has for leaves. Joins of 1, 2, 4, 8..
// nodes are made in rounds, and each node takes the two that cover its run: none waits for another,
// whatever the shape.

shared uint next_nodes[DW_TREE_TREELET]; // on the way to the last node below; none: itself
shared uint has_work;

uint64_t runs_section(dw_tree_mesh from)
{
    return tree_section(from, DW_TREE_RUNS_AT(from.triangles, from.triangle_count));
}

uint last_side; // where the boxes of whole subtrees are kept

bool is_inside(uint ref)
{
    return DW_TREE_IS_NODE(ref) && ref - treelet.first_node < treelet.node_count;
}

void box_triangle(uint lane, bool wants_sums)
{
    uint inactive = 0u;

    keep_box(1u, lane, triangle_box(treelet.first_triangle + lane, inactive));
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

// Nodes of the subtree within the treelet, on the way to its last node.
uint find_run(uint node)
{
    uint last = node;

    for (uint i = 0u; i < DW_TREE_DEPTH_MAX && next_nodes[last] != last; i++)
        last = next_nodes[last];
    return last + 1u - node;
}

bool is_untouched(uint lane)
{
    if (lane < treelet.triangle_count && has_moved(treelet.first_triangle + lane))
        atomicOr(has_work, 1u);
    barrier();
    return has_work == 0u;
}

void begin_wide(uint lane)
{
    if (lane < 6u)
        low_sums[lane] = high_sums[lane] = 0u;
    if (lane == 0u)
        inactive_count = has_work = 0u;
    barrier();
}

uvec2 load_refs(uint lane, bool has_runs, out uint run)
{
    uint node = treelet.first_node + lane;
    uvec2 refs = uvec2(DW_TREE_NONE);

    run = 0u;
    if (lane >= treelet.node_count)
        return refs;
    refs = node_refs(mesh, node);
    if (has_runs)
        run = uint(tree_bytes(runs_section(mesh)).data[node]);
    else
        next_nodes[lane] = (is_inside(refs.y)   ? refs.y
                            : is_inside(refs.x) ? refs.x
                                                : node) -
                           treelet.first_node;
    return refs;
}

/* Joins of runs of nodes, from what each has for itself; that of the lane's subtree. */
tree_box join_runs(uint lane, uint run, tree_box own)
{
    tree_box window = own, whole = own;
    uint side = 0u;

    for (uint width = 1u; width <= treelet.node_count; width <<= 1) {
        if (run != 0u)
            keep_box(side, lane, window);
        barrier();
        if (run >= width && run < 2u * width)
            whole = box_join(window, kept_box(side, lane + run - width));
        if (lane + width < treelet.node_count)
            window = box_join(window, kept_box(side, lane + width));
        side ^= 1u;
    }
    if (run != 0u)
        keep_box(side, lane, whole);
    barrier();
    last_side = side;
    return whole;
}

tree_box final_box(uint ref, tree_box outer)
{
    return is_inside(ref) ? kept_box(last_side, ref - treelet.first_node) : outer;
}

void write_lane(uint lane, uvec2 refs, tree_box left, tree_box right, tree_box whole)
{
    bool wants_sums = mesh_has(mesh, DW_TREE_WANTS_SUMS);

    if (lane >= treelet.node_count)
        return;
    left = final_box(refs.x, left);
    right = final_box(refs.y, right);
    node_write(mesh, treelet.first_node + lane, refs, left, right);
    if (wants_sums) {
        share_child(refs.x, left);
        share_child(refs.y, right);
    }
    if (treelet.first_node + lane == 0u) {
        write_root(whole);
        if (wants_sums)
            share_products(0u, whole, 1u);
    }
}

void refit_wide(uint row, bool is_partial, bool has_runs)
{
    bool wants_sums = mesh_has(mesh, DW_TREE_WANTS_SUMS);
    uint lane = gl_LocalInvocationIndex, run;

    if (wants_sums || is_partial)
        begin_wide(lane);
    if (is_partial && is_untouched(lane))
        return;
    uvec2 refs = load_refs(lane, has_runs, run);

    if (lane < treelet.triangle_count)
        box_triangle(lane, wants_sums);
    barrier();
    if (!has_runs && lane < treelet.node_count) {
        run = find_run(lane);
        tree_bytes(runs_section(mesh)).data[treelet.first_node + lane] = uint8_t(run);
    }
    tree_box left = outer_box(refs.x), right = outer_box(refs.y);
    tree_box whole = join_runs(lane, run, box_join(left, right));

    write_lane(lane, refs, left, right, whole);
    if (wants_sums)
        write_shared_sums(row, lane);
}

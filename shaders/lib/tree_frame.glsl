// SPDX-License-Identifier: MIT
// The grid of a pose from its bounds, and the rest of the head. `bounds` holds those of the tree.

shared uint keeps[3];
shared float extents[3];

/* One axis of the grid, if it must change. The bounds start anew. */
void settle_axis(shared_words head, uint axis)
{
    uint low_bits = atomicExchange(head.data[DW_TREE_HEAD_BOUNDS + axis], NOTHING);
    uint high_bits = atomicExchange(head.data[DW_TREE_HEAD_BOUNDS + 3u + axis], 0u);

    bounds[axis] = low_bits;
    bounds[3u + axis] = high_bits;
    if (low_bits == NOTHING)
        return;
    float low = dw_tree_from_ordered(low_bits), high = dw_tree_from_ordered(high_bits);

    keeps[axis] = uint(dw_tree_keeps_axis(
        uintBitsToFloat(head.data[DW_TREE_HEAD_FRAME + axis]),
        uintBitsToFloat(head.data[DW_TREE_HEAD_FRAME + 3u + axis]), low, high));
    extents[axis] = dw_tree_difference(high, low);
}

void write_float(shared_words head, uint at, float value)
{
    head.data[DW_TREE_HEAD_FRAME + at] = floatBitsToUint(value);
}

void write_axis(shared_words head, uint axis)
{
    bool is_empty = bounds[0] == NOTHING;
    float low = is_empty ? 0.0f : dw_tree_from_ordered(bounds[axis]);
    float high = is_empty ? 0.0f : dw_tree_from_ordered(bounds[3u + axis]);
    float step = is_empty ? 1.0f : dw_tree_step(low, high);

    write_float(head, axis, low);
    write_float(head, 3u + axis, step);
    write_float(head, 6u + axis, is_empty ? 1.0f : dw_tree_inverse(step));
}

void write_rest(shared_words head, dw_tree_mesh mesh, bool is_kept)
{
    bool is_empty = bounds[0] == NOTHING;
    bool wants_sums = mesh_has(mesh, DW_TREE_WANTS_SUMS);
    uint state = head.data[DW_TREE_HEAD_STATE];
    bool has_sums = (state & DW_TREE_STATE_HAS_SUMS) != 0u;
    bool has_runs = !IS_SERIAL && (state & DW_TREE_STATE_WAS_WIDE) != 0u;
    bool is_partial = is_kept && (has_sums || !wants_sums) && (IS_SERIAL || has_runs);

    if (!is_kept) {
        float extent = max(max(extents[0], extents[1]), extents[2]);

        write_float(head, 9u, is_empty ? 1.0f : dw_tree_unit_scale(extent));
        head.data[DW_TREE_HEAD_FRAME + 11u] = uint(is_empty);
    }
    head.data[DW_TREE_HEAD_STATE] = (is_partial ? DW_TREE_STATE_IS_PARTIAL : 0u) |
                                    (wants_sums ? DW_TREE_STATE_HAS_SUMS : 0u) |
                                    (has_runs ? DW_TREE_STATE_HAS_RUNS : 0u) |
                                    (IS_SERIAL ? 0u : DW_TREE_STATE_WAS_WIDE);
    head.data[DW_TREE_HEAD_DONE] = 0u;
    if (!wants_sums)
        return;
    head.data[DW_TREE_HEAD_FRAME + 10u] = 0u;
    for (uint i = 0u; i < 12u; i++)
        head.data[DW_TREE_HEAD_SUMS + i] = 0u;
}

// Whether all axes keep their grid, and neither it nor the pose is empty.
bool is_frame_kept(shared_words head)
{
    return bounds[0] != NOTHING && head.data[DW_TREE_HEAD_FRAME + 11u] == 0u &&
           keeps[0] + keeps[1] + keeps[2] == 3u;
}

// SPDX-License-Identifier: MIT
// Sums of a treelet's boxes, exact: by one lane, or by a workgroup.

struct refit_sums {
    uint64_t inner[3];
    uint64_t leaves[3];
    uint inactive;
};

void add_products(inout uint64_t sums[3], tree_box box, uint times)
{
    uvec3 planes = box_planes(box);
    uint64_t x = uint64_t(dw_tree_extent(planes.x) * times);
    uint64_t y = uint64_t(dw_tree_extent(planes.y)), z = uint64_t(dw_tree_extent(planes.z));
    uint64_t z_times = uint64_t(dw_tree_extent(planes.z) * times);

    sums[0] += x * y;
    sums[1] += y * z_times;
    sums[2] += z * x;
}

void add_child(inout refit_sums sums, uint ref, tree_box box)
{
    if (DW_TREE_IS_NODE(ref))
        add_products(sums.inner, box, 1u);
    else if (ref != DW_TREE_NONE)
        add_products(sums.leaves, box, DW_TREE_LEAF_COUNT(ref));
}

refit_sums no_sums()
{
    refit_sums sums;

    for (uint i = 0u; i < 3u; i++)
        sums.inner[i] = sums.leaves[i] = uint64_t(0);
    sums.inactive = 0u;
    return sums;
}

void write_sums(uint row, refit_sums sums)
{
    tree_words words = tree_words(tree_section(mesh, mesh.sums));
    uint at = row * DW_TREE_SUMS_WORDS;

    for (uint i = 0u; i < 3u; i++) {
        words.data[at + 2u * i] = uint(sums.inner[i]);
        words.data[at + 2u * i + 1u] = uint(sums.inner[i] >> 32);
        words.data[at + 6u + 2u * i] = uint(sums.leaves[i]);
        words.data[at + 7u + 2u * i] = uint(sums.leaves[i] >> 32);
    }
    words.data[at + 12u] = sums.inactive;
}

// ---- by a workgroup ----

shared uint low_sums[6], high_sums[6]; // 16 bits each way, so that nothing overflows
shared uint inactive_count;

void add_shared(uint at, uint product, uint times)
{
    atomicAdd(low_sums[at], (product & 0xffffu) * times);
    atomicAdd(high_sums[at], (product >> 16) * times);
}

void share_products(uint at, tree_box box, uint times)
{
    uvec3 planes = box_planes(box);
    uint x = dw_tree_extent(planes.x), y = dw_tree_extent(planes.y), z = dw_tree_extent(planes.z);

    add_shared(at, x * y, times);
    add_shared(at + 1u, y * z, times);
    add_shared(at + 2u, z * x, times);
}

void share_child(uint ref, tree_box box)
{
    if (DW_TREE_IS_NODE(ref))
        share_products(0u, box, 1u);
    else if (ref != DW_TREE_NONE)
        share_products(3u, box, DW_TREE_LEAF_COUNT(ref));
}

void write_shared_sums(uint row, uint lane)
{
    tree_words words = tree_words(tree_section(mesh, mesh.sums));
    uint at = row * DW_TREE_SUMS_WORDS;

    barrier();
    for (uint i = lane; i < 6u; i += gl_WorkGroupSize.x) {
        uint64_t sum = uint64_t(low_sums[i]) + (uint64_t(high_sums[i]) << 16);

        words.data[at + 2u * i] = uint(sum);
        words.data[at + 2u * i + 1u] = uint(sum >> 32);
    }
    if (lane == 0u)
        words.data[at + 12u] = inactive_count;
}

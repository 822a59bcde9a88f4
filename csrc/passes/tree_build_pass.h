/* SPDX-License-Identifier: MIT */
/* Trees built on a Vulkan device: the same bytes as cpu/tree.h's. A build has two parts, between
 * which the host reads the tree's shape and makes a buffer that fits it. The boxes of nodes are
 * empty then: a refit fills them.
 * Thread-safety: one thread at a time for each builder. */
#ifndef DW_PASSES_TREE_BUILD_PASS_H
#define DW_PASSES_TREE_BUILD_PASS_H

#include "base/registry.h"
#include "gpu/command.h"
#include "shared/tree_gpu.h"

/* A builder keeps its scratch, 104 bytes an item, for the next build. */
typedef struct dw_tree_builder_gpu dw_tree_builder_gpu;

/* How a build merges and sorts. All give the same bytes; the device's own choice is the fastest. */
typedef struct dw_tree_gpu_variant {
    uint32_t merge_lanes; /* of a unit: 1, 4, 8, 16, 32 or 64 */
    bool is_merge_wide;   /* by subgroups of 32 lanes instead */
    bool is_sort_wide;
    bool is_place_lane; /* an invocation a treelet; else a workgroup */
} dw_tree_gpu_variant;

/* What a tree is over, in DW_MEMORY_DEVICE buffers that stay until part 2 is done. */
typedef struct dw_tree_gpu_source {
    const dw_gpu_buffer *indices;  /* 3 words a row; NULL: over boxes */
    uint64_t indices_offset;       /* bytes, a multiple of 4 */
    uint32_t count;                /* triangles or boxes, at most DW_TREE_COUNT_MAX */
    const dw_gpu_buffer *vertices; /* floats; over boxes: low x y z, high x y z each; NULL: none */
    uint64_t vertices_offset;      /* bytes, a multiple of 4 */
    uint32_t vertex_count;
    uint32_t vertex_stride; /* floats, at least 3 */
} dw_tree_gpu_source;

dw_status dw_tree_builder_gpu_create(dw_gpu *gpu, dw_tree_builder_gpu **out, dw_error *err);

/* Accepts NULL. Also after the device was closed. */
void dw_tree_builder_gpu_destroy(dw_tree_builder_gpu *builder);

dw_tree_gpu_variant dw_tree_gpu_variant_default(const dw_gpu *gpu);

/* DW_ERROR_ARGUMENT when the device lacks what the variant needs. */
dw_status dw_tree_builder_gpu_set_variant(dw_tree_builder_gpu *builder,
                                          const dw_tree_gpu_variant *variant, dw_error *err);

/* Records part 1. The source's handles are copied. `kind`: DW_TREE_BUILDER_HPLOC or _MORTON. */
dw_status dw_tree_builder_gpu_begin(dw_tree_builder_gpu *builder, dw_command *command,
                                    const dw_tree_gpu_source *source, dw_tree_builder kind,
                                    dw_error *err);

/* Once part 1's ticket is done. With DW_TREE_FAULT_DEEP or _LEVELS part 1 must be recorded again
 * with DW_TREE_BUILDER_MORTON; with DW_TREE_FAULT_INDEX the source is refused. */
const dw_tree_shape *dw_tree_builder_gpu_shape(dw_tree_builder_gpu *builder);

/* The first row that names a vertex which is not there, with DW_TREE_FAULT_INDEX. */
uint32_t dw_tree_builder_gpu_bad_row(const dw_tree_builder_gpu *builder);

/* Records part 2 into `tree`, of dw_tree_gpu_layout's size for the shape, with the `mesh` that was
 * filled by it. The shape has no faults. */
void dw_tree_builder_gpu_finish(dw_tree_builder_gpu *builder, dw_command *command,
                                const dw_gpu_buffer *tree, const dw_tree_mesh *mesh);

/* Gives the scratch back once the work recorded is done. */
void dw_tree_builder_gpu_trim(dw_tree_builder_gpu *builder);
uint64_t dw_tree_builder_gpu_scratch_bytes(const dw_tree_builder_gpu *builder);

/* Both parts, waiting for them: a tree of its own buffer, with the shape, and a mesh row whose
 * addresses are set. Plain Morton order takes over by itself. */
typedef struct dw_tree_gpu_built {
    dw_gpu_buffer buffer;
    dw_tree_shape shape;
    dw_tree_mesh mesh;
} dw_tree_gpu_built;

dw_status dw_tree_build_gpu(dw_tree_builder_gpu *builder, const dw_tree_gpu_source *source,
                            dw_tree_builder kind, dw_node_format format, dw_tree_gpu_built *out,
                            const dw_run *run, dw_error *err);

#endif

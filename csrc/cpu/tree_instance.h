/* SPDX-License-Identifier: MIT */
/* Instances of trees: the way back from the world, and the box in it.
 * Thread-safety: Safe; no state. */
#ifndef DW_CPU_TREE_INSTANCE_H
#define DW_CPU_TREE_INSTANCE_H

#include <stdbool.h>

/* Three rows of a 3 x 4 matrix each. `to_world` is the inverse of `to_object` as rounded: boxes
 * then lie where rays, which are brought into the object's space, find the triangles. */
typedef struct dw_tree_placement {
    double to_world[12];
    float to_object[12];
} dw_tree_placement;

/* False when the matrix has no usable inverse in float32. `matrix` is finite. */
bool dw_tree_place_instance(const double matrix[12], dw_tree_placement *out);

/* A box around the transformed box, low x y z, high x y z, with room for the rounding of rays. */
void dw_tree_placed_box(const dw_tree_placement *placement, const float low[3], const float high[3],
                        float out[6]);

#endif

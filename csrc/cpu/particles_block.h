/* SPDX-License-Identifier: MIT */
/* Many slots at once: lanes of a block, one array a number, so that compilers make vectors of the
 * shared code. Lanes of one part lie side by side, so that whatever a part says is the same for a
 * whole loop.
 * Thread-safety: Safe on distinct blocks. */
#ifndef DW_CPU_PARTICLES_BLOCK_H
#define DW_CPU_PARTICLES_BLOCK_H

#include "cpu/particles_at.h"
#include "cpu/particles_plan.h"

#define DW_BLOCK_LANES  512
#define DW_BLOCK_GROUPS 16 /* parts */
#define DW_BLOCK_PLACES 64
#define DW_BLOCK_STEP   16 /* lanes of a group are a multiple of it */
/* A group is filled in steps of 8, beyond its end; another array's lanes must not lie a power of
 * two farther on, where they would take its place in the cache. */
#define DW_BLOCK_ROOM   (DW_BLOCK_LANES + DW_BLOCK_GROUPS * 2 * DW_BLOCK_STEP + DW_BLOCK_STEP)

/* What lanes have from their rows. */
#define DW_BLOCK_ROW_UINTS(X) \
    X(key0)                   \
    X(key1)                   \
    X(slot)                   \
    X(count)                  \
    X(part)                   \
    X(now_low)                \
    X(now_high)               \
    X(age_least)              \
    X(age_most)               \
    X(age_before)             \
    X(color0)                 \
    X(color1)                 \
    X(color2)                 \
    X(surface)                \
    X(surface_count)          \
    X(kept)

#define DW_BLOCK_ROW_FLOATS(X) \
    X(position_x)              \
    X(position_y)              \
    X(position_z)              \
    X(before_x)                \
    X(before_y)                \
    X(before_z)                \
    X(scale)                   \
    X(extent_0)                \
    X(extent_1)                \
    X(extent_2)

/* What is found out about them. */
#define DW_BLOCK_UINTS(X) \
    X(is_alive)           \
    X(cycle)              \
    X(age)                \
    X(life)               \
    X(is_before)          \
    X(has_point)          \
    X(turn)               \
    X(axis)               \
    X(frame)              \
    X(color)              \
    X(sprite_opacity)     \
    X(sprite_frame)

#define DW_BLOCK_FLOATS(X) \
    X(point_x)             \
    X(point_y)             \
    X(point_z)             \
    X(t)                   \
    X(fade)                \
    X(swell)               \
    X(x)                   \
    X(y)                   \
    X(z)                   \
    X(size)                \
    X(opacity)

/* How lanes of a group live. */
enum {
    DW_BLOCK_RULE_CYCLE,
    DW_BLOCK_RULE_BURST,
    DW_BLOCK_RULE_ONCE,
    DW_BLOCK_RULE_PLAIN, /* slot by slot: in a loop, or with a state */
};

typedef struct dw_particle_block {
#define DW_BLOCK_UINT(name)  uint32_t name[DW_BLOCK_ROOM];
#define DW_BLOCK_FLOAT(name) float name[DW_BLOCK_ROOM];
    uint64_t local[DW_BLOCK_ROOM];
    DW_BLOCK_ROW_UINTS(DW_BLOCK_UINT)
    DW_BLOCK_ROW_FLOATS(DW_BLOCK_FLOAT)
    DW_BLOCK_UINTS(DW_BLOCK_UINT)
    DW_BLOCK_FLOATS(DW_BLOCK_FLOAT)
#undef DW_BLOCK_UINT
#undef DW_BLOCK_FLOAT
    struct dw_block_run {
        uint32_t row, slot, count, group, lane;
        uint32_t fill; /* lanes to fill: the last of a group fills its last step too */
        int64_t local; /* own tick, not below 0 */
    } runs[DW_BLOCK_LANES];
    struct dw_block_group {
        uint32_t part, lane, count, last_run;
        uint32_t rule;  /* DW_BLOCK_RULE_* */
        bool is_trail;  /* some rows are */
        bool has_point; /* some rows have */
    } groups[DW_BLOCK_GROUPS];
    uint8_t places[DW_BLOCK_PLACES]; /* where to look for a group first */
    uint32_t run_count, group_count, lane_count;
} dw_particle_block;

/* Whether all slots of a row live at any time from its tick 0 on, and that has come. */
bool dw_particles_row_lives(const dw_particle_tables *tables, uint32_t row,
                            dw_particle_moment moment);

/* The next slots of a walk, as many as the block takes: rows of which nothing can live are passed
 * over. False at the end of the walk. */
bool dw_particles_block_take(dw_particle_block *block, dw_particle_walk *walk,
                             dw_particle_moment moment);

/* Arrays of lanes have what their rows say. kept: by row, or NULL. */
void dw_particles_block_fill(dw_particle_block *block, const dw_particle_tables *tables,
                             const uint32_t *kept, dw_particle_moment moment);

/* Whether lanes live; then, what they look like. */
void dw_particles_block_live(dw_particle_block *block, const dw_particle_tables *tables,
                             dw_particle_moment moment);
void dw_particles_block_move(dw_particle_block *block, const dw_particle_tables *tables,
                             dw_particle_moment moment);

uint32_t dw_particles_block_count(const dw_particle_block *block);

/* The living ones, by row and slot; returns the end. */
dw_particle *dw_particles_block_write(const dw_particle_block *block, dw_particle *out);
dw_particle_sprite *dw_particles_block_draw(const dw_particle_block *block,
                                            dw_particle_sprite *out);

/* is_alive of what a view does not show becomes 0; opacities and frames are packed. */
void dw_particles_block_look(dw_particle_block *block, const dw_particle_view *view);

#endif

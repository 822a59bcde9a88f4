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
#define DW_BLOCK_GROUPS 32 /* parts */
#define DW_BLOCK_PLACES 64
#define DW_BLOCK_STEP   16 /* lanes of a group are a multiple of it */
/* A group is filled in steps of 8, beyond its end; another array's lanes must not lie a power of
 * two farther on, where they would take its place in the cache. */
#define DW_BLOCK_ROOM   (DW_BLOCK_LANES + DW_BLOCK_GROUPS * 2 * DW_BLOCK_STEP + DW_BLOCK_STEP)

/* ---- lanes: X(type, array, place) ---- */

/* What they have from a place in their emitters: all of them, */
#define DW_BLOCK_OF_ALL(X)            \
    X(uint32_t, key0, key0)           \
    X(uint32_t, key1, key1)           \
    X(uint32_t, count, count)         \
    X(float, position_x, position[0]) \
    X(float, position_y, position[1]) \
    X(float, position_z, position[2]) \
    X(float, scale, scale)
/* and those of groups that need it. */
#define DW_BLOCK_OF_FLAGS(X)  X(uint32_t, part, part)
#define DW_BLOCK_OF_CORE(X)   X(uint32_t, color0, colors[0])
#define DW_BLOCK_OF_MIDDLE(X) X(uint32_t, color1, colors[1])
#define DW_BLOCK_OF_OUTER(X)  X(uint32_t, color2, colors[2])
#define DW_BLOCK_OF_POINTS(X)     \
    X(uint32_t, surface, surface) \
    X(uint32_t, surface_count, surface_count)
#define DW_BLOCK_OF_EXTENT(X)     \
    X(float, extent_0, extent[0]) \
    X(float, extent_1, extent[1]) \
    X(float, extent_2, extent[2])
#define DW_BLOCK_OF_TRAIL(X)      \
    X(float, before_x, before[0]) \
    X(float, before_y, before[1]) \
    X(float, before_z, before[2])
#define DW_BLOCK_OF_EMITTER(X) \
    DW_BLOCK_OF_ALL(X)         \
    DW_BLOCK_OF_FLAGS(X)       \
    DW_BLOCK_OF_CORE(X)        \
    DW_BLOCK_OF_MIDDLE(X)      \
    DW_BLOCK_OF_OUTER(X)       \
    DW_BLOCK_OF_POINTS(X)      \
    DW_BLOCK_OF_EXTENT(X)      \
    DW_BLOCK_OF_TRAIL(X)

/* From what their rows are at a moment: dw_block_row. */
#define DW_BLOCK_OF_CLOCK(X)  \
    X(uint64_t, local, local) \
    X(uint32_t, clock, clock)
#define DW_BLOCK_OF_BOUNDS(X)      \
    X(uint32_t, age_least, ages.x) \
    X(uint32_t, age_most, ages.y)  \
    X(uint32_t, age_before, ages.z)

enum {
    DW_BLOCK_NEEDS_FLAGS = 1,
    DW_BLOCK_NEEDS_CORE = 2,
    DW_BLOCK_NEEDS_MIDDLE = 4,
    DW_BLOCK_NEEDS_OUTER = 8,
    DW_BLOCK_NEEDS_TRAIL = 16,
    DW_BLOCK_NEEDS_BOUNDS = 32,
    DW_BLOCK_NEEDS_POINTS = 64, /* some rows have surfaces */
};

/* From where records have what particles look like. */
#define DW_BLOCK_OF_RECORD(X)  \
    X(float, x, position[0])   \
    X(float, y, position[1])   \
    X(float, z, position[2])   \
    X(float, size, size)       \
    X(float, opacity, opacity) \
    X(uint32_t, color, color)  \
    X(uint32_t, turn, turn)    \
    X(uint32_t, axis, axis)    \
    X(uint32_t, frame, frame)

/* Found out about them, one after the other. */
#define DW_BLOCK_FOUND(X)         \
    X(uint32_t, slot, )           \
    X(uint32_t, kept, )           \
    X(uint32_t, has_point, )      \
    X(uint32_t, frame, )          \
    X(uint32_t, color, )          \
    X(uint32_t, sprite_opacity, ) \
    X(uint32_t, sprite_frame, )   \
    X(float, point_x, )           \
    X(float, point_y, )           \
    X(float, point_z, )           \
    X(float, t, )                 \
    X(float, fade, )              \
    X(float, swell, )

/* ---- blocks ---- */

/* Slots of a row that lie side by side. */
struct dw_block_run {
    uint32_t row, slot, count, group, lane;
    uint32_t fill; /* lanes to fill: the last of a group fills its last step too */
};

/* Lanes of a part. */
struct dw_block_group {
    uint32_t part, lane, count, last_run;
    uint32_t rule;  /* DW_ROW_RULE_* */
    uint32_t needs; /* DW_BLOCK_NEEDS_* */
};

typedef struct dw_particle_block {
#define DW_BLOCK_ARRAY(type, array, place) type array[DW_BLOCK_ROOM];
#define DW_BLOCK_MEMBER(type, name, count) DW_BLOCK_ARRAY_OF_##type(name)
#define DW_BLOCK_ARRAY_OF_uint(name)       uint32_t name[DW_BLOCK_ROOM];
#define DW_BLOCK_ARRAY_OF_float(name)      float name[DW_BLOCK_ROOM];
    DW_BLOCK_OF_CLOCK(DW_BLOCK_ARRAY)
    DW_BLOCK_OF_EMITTER(DW_BLOCK_ARRAY)
    DW_BLOCK_OF_BOUNDS(DW_BLOCK_ARRAY)
    DW_BLOCK_FOUND(DW_BLOCK_ARRAY)
    DW_PARTICLE_LIFE_FIELDS(DW_BLOCK_MEMBER)
    DW_PARTICLE_MOTION_FIELDS(DW_BLOCK_MEMBER)
#undef DW_BLOCK_ARRAY
#undef DW_BLOCK_MEMBER
#undef DW_BLOCK_ARRAY_OF_uint
#undef DW_BLOCK_ARRAY_OF_float
    struct dw_block_run runs[DW_BLOCK_LANES];
    struct dw_block_group groups[DW_BLOCK_GROUPS];
    uint8_t places[DW_BLOCK_PLACES]; /* where to look for a group first */
    uint32_t run_count, group_count;
    uint32_t lane_count, slot_count; /* lanes without slots lie between groups */
    bool has_extents, has_points;    /* arrays that were 0 have been written to */
} dw_particle_block;

DW_INLINE dw_particle_life dw_block_life(const dw_particle_block *block, size_t lane)
{
    dw_particle_life life;

#define DW_BLOCK_GET(type, name, count) life.name = block->name[lane];
    DW_PARTICLE_LIFE_FIELDS(DW_BLOCK_GET)
#undef DW_BLOCK_GET
    return life;
}

DW_INLINE void dw_block_set_life(dw_particle_block *block, size_t lane, dw_particle_life life)
{
#define DW_BLOCK_PUT(type, name, count) block->name[lane] = life.name;
    DW_PARTICLE_LIFE_FIELDS(DW_BLOCK_PUT)
#undef DW_BLOCK_PUT
}

/* The next slots of a walk, as many as the block takes: rows of which nothing lives are passed
 * over. False at the end of the walk. */
bool dw_particles_block_take(dw_particle_block *block, dw_particle_walk *walk);

/* Arrays of lanes have what their rows say. kept: by row, or NULL. */
void dw_particles_block_fill(dw_particle_block *block, const dw_particle_tables *tables,
                             const uint32_t *kept, dw_particle_moment moment);

/* Whether lanes live; then, what they look like. */
void dw_particles_block_live(dw_particle_block *block, const dw_particle_tables *tables,
                             dw_particle_moment moment);
void dw_particles_block_move(dw_particle_block *block, const dw_particle_tables *tables,
                             dw_particle_moment moment);

uint32_t dw_particles_block_count(const dw_particle_block *block);

/* Asks for the memory that a write will fill, which then comes while particles are computed. */
void dw_particles_block_expect(const dw_particle_block *block, const dw_particle *out);

/* The living ones, by row and slot; returns the end. */
dw_particle *dw_particles_block_write(const dw_particle_block *block, dw_particle *out);
dw_particle_sprite *dw_particles_block_draw(const dw_particle_block *block,
                                            dw_particle_sprite *out);

/* is_alive of what a view does not show becomes 0; opacities and frames are packed. */
void dw_particles_block_look(dw_particle_block *block, const dw_particle_view *view);

#endif

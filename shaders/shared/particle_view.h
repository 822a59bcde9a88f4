/* SPDX-License-Identifier: MIT */
/* What a view shows of particles: which rows, how many of their slots, which of their particles,
 * and in which order layers with blend SORTED draw them.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_VIEW_H
#define DW_SHARED_PARTICLE_VIEW_H

#include "shared/particle.h"

/* Of its size: how far a billboard's corners reach, turned, that is up to DW_PARTICLE_ASPECT_MOST
 * times as high as wide; a streak is drawn at most this many sizes long. */
#define DW_PARTICLE_REACH        1.03f
#define DW_PARTICLE_ASPECT_MOST  1.8f
#define DW_PARTICLE_STRETCH_MOST 16.0f

/* Fainter than this nothing is drawn: the smallest half that is not subnormal. */
#define DW_PARTICLE_OPACITY_LEAST 6.103515625e-5f

/* Whether all that a row may show lies outside of one plane. Of trails both places count. */
DW_INLINE bool dw_particle_row_is_outside(dw_particle_emitter e, float nx, float ny, float nz,
                                          float offset)
{
    bool is_trail = (DW_EMITTER_FLAGS(e.part) & DW_EMITTER_IS_TRAIL) != 0u;
    DW_PRECISE float y = e.position[1] + e.bound_y;
    DW_PRECISE float before_y = e.before[1] + e.bound_y;

    if (dw_particle_is_inside(nx, ny, nz, offset, e.position[0], y, e.position[2], e.bound_radius))
        return false;
    return !is_trail || !dw_particle_is_inside(nx, ny, nz, offset, e.before[0], before_y,
                                               e.before[2], e.bound_radius);
}

/* Kept slots in 256ths of a row that is inside all planes. Rows that live around the camera keep
 * all. */
DW_INLINE uint dw_particle_row_kept(dw_particle_emitter e, dw_particle_part p, float camera_x,
                                    float camera_y, float camera_z)
{
    DW_PRECISE float dx = e.position[0] - camera_x;
    DW_PRECISE float dy = e.position[1] - camera_y;
    DW_PRECISE float dz = e.position[2] - camera_z;

    if ((DW_EMITTER_FLAGS(e.part) & DW_EMITTER_IS_HIDDEN) != 0u)
        return 0u;
    if ((p.flags & DW_PART_IS_VIEW) != 0u)
        return e.count << 8;
    return dw_particle_kept(e, p, dw_dot3(dx, dy, dz, dx, dy, dz));
}

/* Slots that a view looks at, of those kept in 256ths. */
DW_INLINE uint dw_particle_kept_slots(uint kept)
{
    return (kept >> 8) + ((kept & 255u) != 0u ? 1u : 0u);
}

/* What the opacity of a slot is times: less than 1 for the last one of a row that is fading. */
DW_INLINE float dw_particle_kept_share(uint kept, uint slot)
{
    bool is_last = slot == kept >> 8;
    DW_PRECISE float share = dw_float(is_last ? kept & 255u : 256u) * 0.00390625f;

    return share;
}

/* Whether a living particle can be seen at all; opacity: times its kept share. */
DW_INLINE bool dw_particle_is_drawn(float size, float opacity)
{
    return size > 0.0f && opacity >= DW_PARTICLE_OPACITY_LEAST;
}

/* How far from its position a particle may be seen. */
DW_INLINE float dw_particle_reach(float size, uint axis)
{
    DW_PRECISE float reach = size * DW_PARTICLE_REACH;
    DW_PRECISE float streak = size * DW_PARTICLE_STRETCH_MOST;

    return axis == 0u ? reach : streak;
}

/* The farther, the lower: the square of the distance in steps of 2^-11 of it, from 2^-8 m^2 up to
 * 2^24 m^2 (4,096 m). */
DW_INLINE uint dw_particle_depth_key(float x, float y, float z, float camera_x, float camera_y,
                                     float camera_z)
{
    DW_PRECISE float dx = x - camera_x;
    DW_PRECISE float dy = y - camera_y;
    DW_PRECISE float dz = z - camera_z;
    uint bits = dw_bits_from_float(dw_dot3(dx, dy, dz, dx, dy, dz));
    uint steps = bits <= 0x3b800000u ? 0u : (bits - 0x3b800000u) >> 12;

    return 0xffffu - (steps < 0xffffu ? steps : 0xffffu);
}

#endif

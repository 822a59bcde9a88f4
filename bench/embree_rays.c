/* SPDX-License-Identifier: MIT */
/* Single rays through an Embree 4 scene, for bench_trees_rays.py, which compiles this file and
 * hands it the function of Embree. Thread-safety: Safe on distinct outputs. */
#include <stdint.h>

struct ray_hit { /* RTCRayHit */
    float origin[3], t_near, direction[3], time, t_far;
    uint32_t mask, id, flags;
    float normal[3], u, v;
    uint32_t primitive, geometry, instance[4];
};

typedef void (*intersect_fn)(void *scene, struct ray_hit *ray, void *arguments);

void trace_rays(intersect_fn intersect, void *scene, const float *origins, const float *directions,
                int64_t count, float *t, int32_t *primitive)
{
    for (int64_t i = 0; i < count; i++, origins += 3, directions += 3) {
        _Alignas(64) struct ray_hit ray = {
            .origin = { origins[0], origins[1], origins[2] },
            .direction = { directions[0], directions[1], directions[2] },
            .t_far = __builtin_inff(),
            .mask = UINT32_MAX,
            .primitive = UINT32_MAX,
            .geometry = UINT32_MAX,
            .instance = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX },
        };

        intersect(scene, &ray, 0);
        t[i] = ray.t_far;
        primitive[i] = ray.geometry == UINT32_MAX ? -1 : (int32_t)ray.primitive;
    }
}

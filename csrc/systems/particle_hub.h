/* SPDX-License-Identifier: MIT */
/* All particles of a program: emitters by number, each of an effect, whose rows lie by layer in
 * tables that a native or a Vulkan device makes particles from. A clock in ticks of 2^-16 s says
 * which; nothing is done per emitter when it moves on.
 *
 * A renderer, for each frame: dw_hub_prepare, then for each view dw_hub_make_view and
 * dw_particle_gpu_see on the frame's command, and draws from dw_particle_gpu_get_buffers.
 * Thread-safety: one thread at a time for each hub. */
#ifndef DW_SYSTEMS_PARTICLE_HUB_H
#define DW_SYSTEMS_PARTICLE_HUB_H

#include "cpu/particle_effects.h"
#include "cpu/particle_step.h"
#include "cpu/particles.h"
#include "passes/particle_pass.h"
#include "systems/device.h"

typedef struct dw_hub dw_hub;

#define DW_HUB_NONE      0xffffffffu
#define DW_HUB_UNLIMITED UINT64_MAX
#define DW_HUB_RATE_MAX  (256u * DW_PARTICLE_RATE_ONE)

/* What happens where a layer's limit is reached. */
typedef enum dw_hub_capacity {
    DW_HUB_GROW, /* there are no limits */
    DW_HUB_ERROR,
    DW_HUB_PARTIAL,
} dw_hub_capacity;

typedef struct dw_hub_def {
    uint64_t seed;
    dw_hub_capacity capacity;
    uint32_t loop;                           /* ticks after which all repeats; 0: never */
    bool is_seed;                            /* phases are those of the hub's clock */
    uint64_t limits[DW_PARTICLE_LAYERS_MAX]; /* slots; DW_HUB_UNLIMITED: none */
} dw_hub_def;

/* With the limits that upstream has. */
dw_hub_def dw_hub_def_default(void);

dw_status dw_hub_create(const dw_hub_def *def, dw_hub **out, dw_error *err);

/* Accepts NULL. Before the devices that it was prepared for are destroyed. */
void dw_hub_destroy(dw_hub *hub);

/* ---- layers and effects ---- */

/* A layer behind the built-in ones. */
dw_status dw_hub_add_layer(dw_hub *hub, bool is_sorted, uint64_t limit, uint32_t *out,
                           dw_error *err);

/* Gives a layer that holds no row to another style. */
void dw_hub_change_layer(dw_hub *hub, uint32_t layer, bool is_sorted, uint64_t limit);

/* How a part with DW_PART_IS_RENEWED or DW_PART_IS_DYNAMIC is simulated. */
typedef struct dw_hub_simulation {
    dw_particle_law law; /* children: slots for each of the parent's; rate: of a whole emitter */
    const dw_particle_collider *colliders;
    const float *heights; /* of all of them */
    uint32_t collider_count, height_count;
    uint32_t parent; /* a part before this one, or DW_HUB_NONE */
    uint32_t burst;  /* the part that bursts of renewal move like, which has no particles of its
                        own; DW_HUB_NONE: there are none */
} dw_hub_simulation;

typedef struct dw_hub_part {
    const dw_hub_simulation *simulation;     /* NULL: it remembers nothing */
    dw_particle_recipe recipe;               /* its curves and ramp are not read */
    const float *opacity_curve, *size_curve; /* [DW_PARTICLE_KNOTS], or NULL */
    const uint32_t *colors;                  /* RGBA8; NULL: none */
    uint32_t color_count;                    /* DW_PARTICLE_KNOTS with DW_PART_IS_RAMPED */
} dw_hub_part;

/* Parts that are simulated need a home first. */
dw_status dw_hub_add_effect(dw_hub *hub, const dw_hub_part *parts, uint32_t count, uint32_t *out,
                            dw_error *err);

/* Frees the effects that no emitter has: are_free[dw_hub_effect_count], true of those freed before
 * as well. Others of the same size may take their places. */
uint32_t dw_hub_effect_count(const dw_hub *hub);
void dw_hub_free_effects(dw_hub *hub, bool *are_free);

/* ---- simulated particles ---- */

/* The device that they live on, from the first call on; it must outlive the hub. Native ones are
 * seen on all devices, others on their own. */
dw_status dw_hub_set_home(dw_hub *hub, dw_device *device, dw_error *err);

/* Whether there are some: time passes on the device then, and does not go back. */
bool dw_hub_is_simulating(const dw_hub *hub);

typedef struct dw_hub_simulation_stats {
    uint64_t rows, slots; /* of these in blocks of DW_PARTICLE_STATE_GROUP */
    uint64_t capacity;    /* slots that there is room for */
    uint64_t looks;       /* at free places, so far */
    uint64_t steps_skipped;
} dw_hub_simulation_stats;

dw_hub_simulation_stats dw_hub_get_simulation_stats(const dw_hub *hub);

/* ---- emitters ---- */

/* What all emitters of a batch have in common, and where each is. */
typedef struct dw_hub_batch {
    const uint64_t *uids;     /* [count]: what an emitter's chance follows from */
    const float *positions;   /* [count][3] */
    const uint32_t *replaced; /* [count]: emitters that go, or DW_HUB_NONE */
    uint32_t count;
    uint32_t effect;
    double share; /* of each part's count, at least one particle */
    float scale;
    uint32_t colors[3]; /* RGBA8 */
    float extent[3];
    const float *points; /* [point_count][3] from the position; NULL: none */
    uint32_t point_count;
    uint32_t flags; /* DW_EMITTER_IS_COLD */
} dw_hub_batch;

/* All or none, but for slots that DW_HUB_PARTIAL denies: emitters[count] are their numbers, and
 * slots[count] how many particles each has. DW_ERROR_CAPACITY says which layer lacks room. */
dw_status dw_hub_register(dw_hub *hub, const dw_hub_batch *batch, uint32_t *emitters,
                          uint32_t *slots, dw_error *err);

/* Whether each is an emitter or DW_HUB_NONE. */
bool dw_hub_are_known(const dw_hub *hub, const uint32_t *emitters, uint32_t count);

/* Below, `emitters` holds DW_HUB_NONE for those that are to be left alone. */
void dw_hub_unregister(dw_hub *hub, const uint32_t *emitters, uint32_t count);

/* is_trail: what was born before stays where it was born. */
dw_status dw_hub_move(dw_hub *hub, const uint32_t *emitters, uint32_t count, const float *positions,
                      bool is_trail, dw_error *err);

typedef enum dw_hub_change {
    DW_HUB_STOP, /* living particles finish */
    DW_HUB_KILL, /* nothing of it lives */
    DW_HUB_PAUSE,
    DW_HUB_RESUME,
} dw_hub_change;

void dw_hub_apply(dw_hub *hub, const uint32_t *emitters, uint32_t count, dw_hub_change change);

/* rate: in 2^-16, at most DW_HUB_RATE_MAX. */
dw_status dw_hub_set_rate(dw_hub *hub, const uint32_t *emitters, uint32_t count, uint32_t rate,
                          dw_error *err);

/* Particles that live once, from now on: as many as the effect says where count is DW_HUB_NONE.
 * *out_slots: how many there are. */
dw_status dw_hub_emit(dw_hub *hub, uint32_t emitter, uint32_t count, uint32_t *out_slots,
                      dw_error *err);

/* ---- time ---- */

/* seconds: finite. The clock is the sum of all, rounded once, and rests at 0. run: of the home's
 * threads, inside dw_device_begin_use of it, where dw_hub_is_simulating; when it is interrupted
 * the clock stands at a step on the way. */
dw_status dw_hub_advance(dw_hub *hub, double seconds, const dw_run *run, dw_error *err);
dw_status dw_hub_seek(dw_hub *hub, double seconds, const dw_run *run, dw_error *err);
void dw_hub_set_paused(dw_hub *hub, bool is_paused);
bool dw_hub_is_paused(const dw_hub *hub);
uint64_t dw_hub_tick(const dw_hub *hub);

/* ---- reading ---- */

typedef struct dw_hub_layer_stats {
    uint64_t requested, allocated; /* slots */
    uint32_t rows;
    uint64_t limit;
} dw_hub_layer_stats;

uint32_t dw_hub_layer_count(const dw_hub *hub);
uint32_t dw_hub_emitter_count(const dw_hub *hub);
/* Shots that are over count until they are forgotten: by and by as time passes, or at once. */
dw_hub_layer_stats dw_hub_get_stats(const dw_hub *hub, uint32_t layer);
void dw_hub_forget_shots(dw_hub *hub);

/* The emitter of each row of a layer, DW_HUB_NONE for free ones: out[dw_hub_row_count]. */
uint32_t dw_hub_row_count(const dw_hub *hub, uint32_t layer);
void dw_hub_read_rows(const dw_hub *hub, uint32_t layer, uint32_t *out);

/* Slots of a layer, the room that dw_hub_state needs. */
uint64_t dw_hub_slot_total(const dw_hub *hub, uint32_t layer);

/* Where weather is looked at from, besides views; NULL: the emitters' own places. */
void dw_hub_set_camera(dw_hub *hub, const float *camera);

/* The living particles of a layer; their emitters are counted from the layer's first row. Inside
 * dw_device_begin_use, as all below. */
dw_status dw_hub_state(dw_hub *hub, dw_device *device, uint32_t layer, const dw_run *run,
                       dw_particle *out, uint64_t *out_count, dw_error *err);

/* ---- views ---- */

typedef struct dw_hub_frame {
    dw_particle_gpu *gpu; /* NULL on a native device */
} dw_hub_frame;

/* Once for each frame of a device: uploads what changed since its last one. The device must outlive
 * the hub. */
dw_status dw_hub_prepare(dw_hub *hub, dw_device *device, const dw_run *run, dw_hub_frame *out,
                         dw_error *err);

/* planes: 6 of (normal, offset), inside where dot(normal, p) + offset >= 0, of any length; zeros
 * exclude nothing. */
dw_status dw_hub_make_view(const dw_hub *hub, const double planes[24], const double camera[3],
                           dw_particle_view *out, dw_error *err);

/* Of one layer. */
typedef struct dw_hub_seen {
    uint64_t first, count; /* sprites */
    uint64_t candidates;   /* slots looked at */
} dw_hub_seen;

/* Prepares, looks and waits. seen[dw_hub_layer_count]; *sprites, which the next call for this hub
 * changes: brought to the host only where `sprites` is not NULL. */
dw_status dw_hub_see(dw_hub *hub, dw_device *device, const double planes[24],
                     const double camera[3], const dw_run *run, dw_hub_seen *seen,
                     const dw_particle_sprite **sprites, dw_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/* What the files of the particle hub share: particle_hub.c (definition, layers, clock),
 * particle_hub_effects.c (effects and their parts), particle_hub_rows.c (rows of the tables),
 * particle_hub_emitters.c (what is done to emitters), particle_hub_simulation.c (rows with state)
 * and particle_hub_view.c (devices, state and views).
 * Thread-safety: as systems/particle_hub.h. */
#ifndef DW_SYSTEMS_PARTICLE_HUB_INTERNAL_H
#define DW_SYSTEMS_PARTICLE_HUB_INTERNAL_H

#include "systems/particle_hub.h"
#include "systems/particle_memory.h"

#define DW_HUB_DEVICES_MAX 16

/* A row of a layer: the layer, then the index in its region. It stays with an emitter when regions
 * grow. */
#define DW_HUB_INDEX_BITS          26
#define DW_HUB_PLACE(layer, index) ((uint32_t)(layer) << DW_HUB_INDEX_BITS | (index))
#define DW_HUB_PLACE_LAYER(place)  ((place) >> DW_HUB_INDEX_BITS)
#define DW_HUB_PLACE_INDEX(place)  ((place) & ((1u << DW_HUB_INDEX_BITS) - 1))

/* What the host knows of a row beside its record. */
typedef struct dw_hub_row {
    uint32_t emitter;        /* DW_HUB_NONE: free */
    uint32_t previous, next; /* places of the emitter's other rows, or DW_HUB_NONE */
    uint32_t requested;      /* slots */
    uint32_t shot;           /* index in hub.shots, or DW_HUB_NONE */
    uint32_t stream;         /* of its slots' states, or DW_HUB_NONE */
    float reach;             /* m: of the sphere around what has come from one place */
    float moved[2];          /* m: since the own tick below, and as long before */
    uint64_t moved_since;
} dw_hub_row;

typedef struct dw_hub_layer {
    uint32_t capacity;      /* rows of its region, a multiple of DW_PARTICLE_ROW_GROUP */
    uint32_t rows_capacity; /* of the two arrays */
    uint32_t used;          /* rows that are not free */
    uint32_t free_count;
    uint32_t *free_rows; /* a heap of indices, the lowest first */
    dw_hub_row *rows;
    uint64_t requested, allocated, limit;
} dw_hub_layer;

/* What the host knows of a part beside its record. */
typedef struct dw_hub_trait {
    uint32_t count;        /* slots, as the effect says; of children, for each of the parent's */
    uint32_t law;          /* DW_HUB_NONE: it remembers nothing */
    uint32_t height_count; /* of the law's solids */
    uint32_t rate;         /* of a whole emitter */
    uint32_t parent;       /* another part, or DW_HUB_NONE */
    uint32_t burst;        /* what bursts of renewal move like, or DW_HUB_NONE */
    bool is_parent;
    bool is_spare; /* bursts of another part: it gets no rows */
    uint64_t end;  /* own ticks after which one that lives once is over, and all that came of it */
} dw_hub_trait;

/* Where the values of an effect lie; behind its parts some that only shots have. */
typedef struct dw_hub_room {
    uint32_t part, part_count, curve, curve_count, color, color_count;
} dw_hub_room;

typedef struct dw_hub_effect {
    dw_hub_room room;
    uint32_t first_part, part_count;
    uint32_t first_shot, shot_count; /* parts that dw_hub_emit plays */
    uint32_t uses;                   /* emitters */
    bool is_free;
} dw_hub_effect;

typedef struct dw_hub_emitter {
    dw_particle_emitter base; /* what all its rows have in common */
    uint64_t key;
    uint32_t effect; /* DW_HUB_NONE: free */
    uint32_t head;   /* place of its last row, or DW_HUB_NONE */
    uint32_t shots;  /* times that it was emitted from */
    uint32_t rate;   /* while it is paused: what it goes back to */
    uint32_t points; /* index in hub.point_sets, or DW_HUB_NONE */
    bool is_paused;
    double share;
} dw_hub_emitter;

/* Points that the emitters of a batch share. */
typedef struct dw_hub_points {
    uint32_t first, count, uses;
} dw_hub_points;

/* What one device has of the tables. */
typedef struct dw_hub_target {
    dw_device *device;
    dw_particle_gpu *gpu; /* NULL: native */
    dw_particle_range dirty[DW_PARTICLE_TABLE_COUNT];
    dw_gpu_buffer shown; /* of native states */
    uint64_t shown_at, shown_tick;
} dw_hub_target;

struct dw_hub {
    dw_hub_def def;

    /* The tables. */
    uint32_t row_capacity, row_count;
    dw_particle_emitter *records; /* [row_capacity] */
    uint32_t part_count, part_capacity;
    dw_particle_part *parts;
    dw_hub_trait *traits; /* [part_capacity] */
    uint32_t layer_count;
    uint64_t sorted_layers;
    dw_particle_region regions[DW_PARTICLE_LAYERS_MAX];
    dw_hub_layer layers[DW_PARTICLE_LAYERS_MAX];
    uint32_t curve_count, curve_capacity;
    float *curves;
    uint32_t color_count, color_capacity;
    uint32_t *colors;
    uint32_t point_count, point_capacity;
    float *points;
    dw_particle_range dirty[DW_PARTICLE_TABLE_COUNT]; /* not yet handed to the targets */

    /* Who they are of. */
    uint32_t effect_count, effect_capacity;
    dw_hub_effect *effects;
    uint32_t emitter_count, emitter_capacity; /* one past the highest number ever used */
    dw_hub_emitter *emitters;
    uint32_t free_emitter_count;
    uint32_t *free_emitters; /* [emitter_capacity] */
    uint32_t set_count, set_capacity;
    dw_hub_points *point_sets;

    /* Rows that live once; next_sweep: the tick at which some of them may be over. */
    uint32_t shot_count, shot_capacity;
    uint32_t *shots; /* places */
    uint64_t next_sweep;
    uint64_t swept; /* the tick that they were last looked through at */

    /* Rows with state, where home is. */
    dw_device *home; /* NULL: there never were any */
    dw_particle_memory *memory;
    uint64_t version;              /* of all tables */
    uint64_t shown_at, shown_tick; /* version and tick that planes were last filled for */
    uint64_t steps_skipped;
    struct dw_hub_placed {
        uint32_t stream, count;
    } * placed; /* rows of the emitter that is being made, by part */
    uint32_t placed_capacity;

    /* The clock: seconds = total + rest. */
    double total, rest;
    uint64_t tick, rebased;
    uint32_t most_rate; /* of all emitters ever */
    bool is_paused;
    bool is_sought; /* time has been set, and has not passed since */
    bool has_camera;
    float camera[3];

    int target_count;
    dw_hub_target targets[DW_HUB_DEVICES_MAX];
    dw_particle_seen seen; /* of native views */

    /* Of views on devices that were brought back. */
    uint32_t sprite_capacity;
    dw_particle_sprite *sprites;
};

/* *array gets room for `count` rows, at least twice what it had; contents stay. `what` names it. */
dw_status dw_hub_reserve(void **array, size_t row_bytes, uint32_t *capacity, uint64_t count,
                         const char *what, dw_error *err);

void dw_hub_mark(dw_hub *hub, dw_particle_table table, uint32_t begin, uint32_t end);

/* ---- particle_hub_rows.c ---- */

/* Room for `more[layer]` rows in each layer: dw_hub_take_row cannot fail then. */
dw_status dw_hub_reserve_rows(dw_hub *hub, const uint64_t *more, dw_error *err);

/* A row for `record`, which knows its part and count, at the head of the emitter's list. */
uint32_t dw_hub_take_row(dw_hub *hub, uint32_t emitter, uint32_t layer, uint32_t requested,
                         const dw_particle_emitter *record);
void dw_hub_free_row(dw_hub *hub, uint32_t place);
dw_particle_emitter *dw_hub_record(dw_hub *hub, uint32_t place);
void dw_hub_mark_row(dw_hub *hub, uint32_t place);

/* Own ticks after which what lives now is over, and all that comes of it. */
uint64_t dw_hub_end_of(const dw_hub *hub, const dw_particle_emitter *record);
dw_hub_row *dw_hub_row_at(dw_hub *hub, uint32_t place);

/* Room for `more` shots: dw_hub_add_shot cannot fail then. */
dw_status dw_hub_reserve_shots(dw_hub *hub, uint64_t more, dw_error *err);
void dw_hub_add_shot(dw_hub *hub, uint32_t place);

/* Frees the shots that are over, if it is time to look or is_due; never after a seek, which may go
 * back to when they were not. */
void dw_hub_sweep(dw_hub *hub, bool is_due);

/* ---- particle_hub_effects.c ---- */

/* Slots that a part of an emitter asks for. */
uint32_t dw_hub_wanted(const dw_hub *hub, uint32_t part, double share);

/* ---- particle_hub_simulation.c ---- */

/* Laws of an effect's parts, which stand in their places; none on failure. */
dw_status dw_hub_add_laws(dw_hub *hub, const dw_hub_part *parts, uint32_t count, uint32_t first,
                          dw_error *err);
void dw_hub_free_laws(dw_hub *hub, const dw_hub_effect *effect);

/* Adds what rows of a part take: dw_hub_remember cannot fail once that is reserved. */
void dw_hub_count_states(const dw_hub *hub, uint32_t part, uint32_t count, uint64_t times,
                         dw_particle_memory_room *room);
dw_status dw_hub_reserve_states(dw_hub *hub, const dw_particle_memory_room *room, dw_error *err);

/* Makes the sphere around what the kind makes of a particle one around all that is simulated. What
 * may bounce may be anywhere: views look at each such particle. */
void dw_hub_bound_states(const dw_hub *hub, uint32_t part, dw_particle_emitter *record);

/* The emitter of a row is about to move: what it left behind stays inside its sphere. */
void dw_hub_widen_states(dw_hub *hub, uint32_t place, const float position[3]);

/* Places of the slots' states of the row, which is the `index`-th of its emitter. */
void dw_hub_remember(dw_hub *hub, uint32_t place, uint32_t index, double share);

/* Slots of the row that its parent's have children in. */
uint32_t dw_hub_most_children(const dw_hub *hub, uint32_t part, uint32_t index);

/* Gives back what nothing needs any more, of the host; a device does so when it is next used. */
void dw_hub_release(dw_hub *hub);

/* All steps up to a tick; on failure hub->tick is how far they came. */
dw_status dw_hub_step(dw_hub *hub, uint64_t tick, const dw_run *run, dw_error *err);

/* What slots with state show now, where a target reads it. */
dw_status dw_hub_show(dw_hub *hub, dw_hub_target *target, const dw_run *run, dw_error *err);
void dw_hub_finish_states(dw_hub *hub);

/* ---- particle_hub_emitters.c ---- */

/* Keeps products of ticks and rates within 64 bits; changes nothing that can be seen. */
void dw_hub_rebase(dw_hub *hub);

/* ---- particle_hub_view.c ---- */

/* The tables of a device as they are now. */
dw_status dw_hub_update_target(dw_hub *hub, dw_device *device, const dw_run *run,
                               dw_hub_target **out, dw_error *err);

void dw_hub_finish_views(dw_hub *hub);

#endif

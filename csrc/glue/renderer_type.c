/* SPDX-License-Identifier: MIT */
/* The Python type Renderer of the core: the tables of a frame in, a picture out. What a scene is
 * made of, and how the tables come about, is the package's affair. */
#include "glue/renderer_type.h"

#include "glue/forest_type.h"
#include "glue/particles_type.h"

static int renderer_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((dw_py_renderer *)object)->device);
    return 0;
}

static void renderer_dealloc(PyObject *object)
{
    dw_py_renderer *self = (dw_py_renderer *)object;
    PyTypeObject *type = Py_TYPE(object);

    PyObject_GC_UnTrack(object);
    dw_renderer_destroy(self->renderer);
    Py_XDECREF(self->device);
    type->tp_free(object);
    Py_DECREF(type);
}

dw_device *dw_py_renderer_begin(const dw_module_state *state, dw_py_renderer *self,
                                dw_glue_run *run)
{
    dw_device *device;

    if (self->renderer == NULL) {
        PyErr_SetString(PyExc_ValueError, "the renderer is closed: make a new one");
        return NULL;
    }
    if (self->is_busy) {
        PyErr_SetString(PyExc_ValueError, "the renderer is at work on another thread: wait for it, "
                                          "or make one renderer a thread");
        return NULL;
    }
    self->is_busy = true;
    device = dw_py_run_begin(state, self->device, run);
    if (device == NULL)
        self->is_busy = false;
    return device;
}

int dw_py_renderer_end(const dw_module_state *state, dw_py_renderer *self, dw_device *device,
                       dw_glue_run *run, dw_status status, const dw_error *err)
{
    int result = dw_py_run_end(state, device, run, status, err);

    self->is_busy = false;
    return result;
}

static PyObject *renderer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = { "device",      "width",        "height", "samples",
                             "shadow_side", "accumulating", NULL };
    const dw_module_state *state = dw_type_get_state(type);
    dw_scene_size size = { 0 };
    dw_py_renderer *self;
    PyObject *device_object;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;
    int is_accumulating = 0;

    if (state == NULL || !PyArg_ParseTupleAndKeywords(
                             args, kwargs, "OIIIIp:Renderer", names, &device_object, &size.width,
                             &size.height, &size.samples, &size.shadow_side, &is_accumulating))
        return NULL;
    size.is_accumulating = is_accumulating != 0;
    self = (dw_py_renderer *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->device = Py_NewRef(device_object);
    device = dw_py_run_begin(state, device_object, &run);
    if (device == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    status = dw_renderer_create(device, &size, &self->renderer, &err);
    if (dw_py_run_end(state, device, &run, status, &err) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static PyObject *renderer_close(PyObject *object, PyObject *unused)
{
    dw_py_renderer *self = (dw_py_renderer *)object;

    (void)unused;
    if (self->is_busy) {
        PyErr_SetString(PyExc_ValueError, "the renderer is at work on another thread");
        return NULL;
    }
    dw_renderer_destroy(self->renderer);
    self->renderer = NULL;
    Py_RETURN_NONE;
}

static PyObject *renderer_closed(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((dw_py_renderer *)object)->renderer == NULL);
}

/* ---- meshes, textures, ranks ---- */

static PyObject *renderer_add_mesh(PyObject *object, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    dw_py_renderer *self = (dw_py_renderer *)object;
    PyObject *vertex_object, *index_object, *result = NULL;
    PyArrayObject *vertices = NULL, *indices = NULL;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;
    uint32_t handle = 0;

    if (state == NULL || !PyArg_ParseTuple(args, "OO:add_mesh", &vertex_object, &index_object))
        return NULL;
    vertices = dw_array_input(vertex_object, NPY_UINT32, 2, 2, "vertices");
    indices = dw_array_input(index_object, NPY_UINT32, 1, 1, "indices");
    if (vertices == NULL || indices == NULL)
        goto done;
    if (PyArray_DIM(vertices, 1) != DW_VERTEX_WORDS || PyArray_SIZE(vertices) == 0 ||
        PyArray_SIZE(indices) == 0) {
        PyErr_Format(PyExc_ValueError, "vertices must be (V, %d) and indices not empty",
                     DW_VERTEX_WORDS);
        goto done;
    }
    device = dw_py_renderer_begin(state, self, &run);
    if (device == NULL)
        goto done;
    status = dw_renderer_add_mesh(self->renderer, PyArray_DATA(vertices),
                                  (uint32_t)PyArray_DIM(vertices, 0), PyArray_DATA(indices),
                                  (uint32_t)PyArray_DIM(indices, 0), &run.run, &handle, &err);
    if (dw_py_renderer_end(state, self, device, &run, status, &err) == 0)
        result = PyLong_FromUnsignedLong(handle);
done:
    Py_XDECREF(vertices);
    Py_XDECREF(indices);
    return result;
}

/* The texels of each level; -1 with an exception set. The arrays are kept in `kept`. */
static int levels_of(PyObject *sequence, PyArrayObject *kept[DW_PY_LEVELS_MAX],
                     const void *levels[DW_PY_LEVELS_MAX], dw_texture_def *def)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);

    if (count < 1 || count > DW_PY_LEVELS_MAX) {
        PyErr_Format(PyExc_ValueError, "levels must be 1 to %d arrays, got %zd", DW_PY_LEVELS_MAX,
                     count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        uint32_t w = def->width >> i, h = def->height >> i;

        kept[i] = dw_array_input(PySequence_Fast_GET_ITEM(sequence, i), NPY_UINT8, 3, 3, "levels");
        if (kept[i] == NULL)
            return -1;
        if (i == 0) {
            h = def->height = (uint32_t)PyArray_DIM(kept[0], 0);
            w = def->width = (uint32_t)PyArray_DIM(kept[0], 1);
        }
        if (PyArray_DIM(kept[i], 0) != (npy_intp)(h > 0 ? h : 1) ||
            PyArray_DIM(kept[i], 1) != (npy_intp)(w > 0 ? w : 1) || PyArray_DIM(kept[i], 2) != 4) {
            PyErr_Format(PyExc_ValueError, "levels[%zd] must be (%u, %u, 4)", i, h > 0 ? h : 1,
                         w > 0 ? w : 1);
            return -1;
        }
        levels[i] = PyArray_DATA(kept[i]);
    }
    def->levels = levels;
    def->level_count = (uint32_t)count;
    return 0;
}

static PyObject *renderer_add_texture(PyObject *object, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    dw_py_renderer *self = (dw_py_renderer *)object;
    PyObject *given, *sequence = NULL, *result = NULL;
    PyArrayObject *kept[DW_PY_LEVELS_MAX] = { NULL };
    const void *levels[DW_PY_LEVELS_MAX];
    dw_texture_def def = { 0 };
    int is_srgb, wrap;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;
    uint32_t handle = 0;

    if (state == NULL || !PyArg_ParseTuple(args, "Opi:add_texture", &given, &is_srgb, &wrap))
        return NULL;
    if (wrap < 0 || wrap > DW_SAMPLER_SHARP_LAST)
        return PyErr_Format(PyExc_ValueError, "wrap must be 0 to %d, got %d", DW_SAMPLER_SHARP_LAST,
                            wrap);
    def.is_srgb = is_srgb != 0;
    def.sampler = (dw_sampler)wrap;
    sequence = PySequence_Fast(given, "levels must be a sequence of arrays");
    if (sequence == NULL || levels_of(sequence, kept, levels, &def) < 0)
        goto done;
    device = dw_py_renderer_begin(state, self, &run);
    if (device == NULL)
        goto done;
    status = dw_renderer_add_texture(self->renderer, &def, &handle, &err);
    if (dw_py_renderer_end(state, self, device, &run, status, &err) == 0)
        result = PyLong_FromUnsignedLong(handle);
done:
    for (int i = 0; i < DW_PY_LEVELS_MAX; i++)
        Py_XDECREF(kept[i]);
    Py_XDECREF(sequence);
    return result;
}

static PyObject *remove_handle(PyObject *object, PyObject *number,
                               void (*remove)(dw_renderer *renderer, uint32_t handle))
{
    dw_py_renderer *self = (dw_py_renderer *)object;
    unsigned long handle = PyLong_AsUnsignedLong(number);

    if (handle == (unsigned long)-1 && PyErr_Occurred())
        return NULL;
    if (self->is_busy) {
        PyErr_SetString(PyExc_ValueError, "the renderer is at work on another thread");
        return NULL;
    }
    if (self->renderer != NULL && handle <= UINT32_MAX)
        remove(self->renderer, (uint32_t)handle);
    Py_RETURN_NONE;
}

static PyObject *renderer_remove_mesh(PyObject *object, PyObject *number)
{
    return remove_handle(object, number, dw_renderer_remove_mesh);
}

static PyObject *renderer_remove_texture(PyObject *object, PyObject *number)
{
    return remove_handle(object, number, dw_renderer_remove_texture);
}

PyArrayObject *dw_py_records_input(PyObject *given, size_t size, const char *argument)
{
    PyArrayObject *array = dw_array_input(given, NPY_UINT8, 2, 2, argument);

    if (array == NULL || PyArray_DIM(array, 1) == (npy_intp)size)
        return array;
    PyErr_Format(PyExc_ValueError, "%s must have rows of %zu bytes, got %zd", argument, size,
                 (Py_ssize_t)PyArray_DIM(array, 1));
    Py_DECREF(array);
    return NULL;
}

/* -1 with an exception set unless counts has 1 to DW_PARTICLE_LAYERS_MAX numbers whose sum is that
 * of the sprites. */
static int check_counts(PyArrayObject *sprites, PyArrayObject *counts)
{
    const uint32_t *numbers = PyArray_DATA(counts);
    npy_intp layers = PyArray_SIZE(counts);
    uint64_t total = 0;

    for (npy_intp i = 0; i < layers; i++)
        total += numbers[i];
    if (layers >= 1 && layers <= DW_PARTICLE_LAYERS_MAX &&
        total == (uint64_t)PyArray_DIM(sprites, 0))
        return 0;
    PyErr_Format(PyExc_ValueError,
                 "counts must be of 1 to %d layers and add up to the %zd sprites, got %zd that add "
                 "up to %llu",
                 DW_PARTICLE_LAYERS_MAX, (Py_ssize_t)PyArray_DIM(sprites, 0), (Py_ssize_t)layers,
                 (unsigned long long)total);
    return -1;
}

static PyObject *renderer_add_sprites(PyObject *object, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    dw_py_renderer *self = (dw_py_renderer *)object;
    PyObject *sprite_object, *count_object, *result = NULL;
    PyArrayObject *sprites = NULL, *counts = NULL;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;
    uint32_t handle = 0;

    if (state == NULL || !PyArg_ParseTuple(args, "OO:add_sprites", &sprite_object, &count_object))
        return NULL;
    sprites = dw_py_records_input(sprite_object, sizeof(dw_particle_sprite), "sprites");
    counts = dw_array_input(count_object, NPY_UINT32, 1, 1, "counts");
    if (sprites == NULL || counts == NULL || check_counts(sprites, counts) < 0)
        goto done;
    device = dw_py_renderer_begin(state, self, &run);
    if (device == NULL)
        goto done;
    status = dw_renderer_add_sprites(self->renderer, PyArray_DATA(sprites), PyArray_DATA(counts),
                                     (uint32_t)PyArray_SIZE(counts), &run.run, &handle, &err);
    if (dw_py_renderer_end(state, self, device, &run, status, &err) == 0)
        result = PyLong_FromUnsignedLong(handle);
done:
    Py_XDECREF(sprites);
    Py_XDECREF(counts);
    return result;
}

static PyObject *renderer_remove_sprites(PyObject *object, PyObject *number)
{
    return remove_handle(object, number, dw_renderer_remove_sprites);
}

static PyObject *renderer_remove_ground(PyObject *object, PyObject *number)
{
    return remove_handle(object, number, dw_renderer_remove_ground);
}

static PyObject *renderer_set_ranks(PyObject *object, PyObject *given)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    dw_py_renderer *self = (dw_py_renderer *)object;
    PyArrayObject *words = dw_array_input(given, NPY_UINT32, 1, 1, "words");
    PyObject *result = NULL;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (state == NULL || words == NULL)
        goto done;
    device = dw_py_renderer_begin(state, self, &run);
    if (device == NULL)
        goto done;
    status = dw_renderer_set_ranks(self->renderer, PyArray_DATA(words),
                                   (uint32_t)PyArray_DIM(words, 0), &run.run, &err);
    if (dw_py_renderer_end(state, self, device, &run, status, &err) == 0)
        result = Py_NewRef(Py_None);
done:
    Py_XDECREF(words);
    return result;
}

/* ---- a frame ---- */

/* Arrays of a frame, in the order of its arguments. */
typedef enum frame_array {
    VIEWS,
    MATERIALS,
    TRANSFORMS,
    WORDS,
    ITEMS,
    FRAME_ARRAYS,
} frame_array;

typedef struct frame_arguments {
    PyArrayObject *arrays[FRAME_ARRAYS];
    PyObject *forests; /* a fast sequence */
    PyObject
        *held[DW_RENDERER_FORESTS_MAX]; /* Forests begun; borrowed from the sequence's tuples */
    PyArrayObject *numbers[DW_RENDERER_FORESTS_MAX];
    PyArrayObject *buckets[DW_RENDERER_FORESTS_MAX];
    dw_renderer_forest rows[DW_RENDERER_FORESTS_MAX];
    PyObject *particles; /* a fast sequence */
    PyArrayObject *styles[DW_RENDERER_PARTICLES_MAX];
    PyArrayObject *draws[DW_RENDERER_PARTICLES_MAX];
    PyObject *hubs[DW_RENDERER_PARTICLES_MAX]; /* begun; borrowed from the sequence's tuples */
    PyArrayObject *hub_numbers[DW_RENDERER_PARTICLES_MAX];
    dw_renderer_particles particle_rows[DW_RENDERER_PARTICLES_MAX];
    dw_py_grounds grounds;
    dw_renderer_frame frame;
} frame_arguments;

static void release_arguments(frame_arguments *self)
{
    for (int i = 0; i < FRAME_ARRAYS; i++)
        Py_XDECREF(self->arrays[i]);
    for (int i = 0; i < DW_RENDERER_FORESTS_MAX; i++) {
        Py_XDECREF(self->numbers[i]);
        Py_XDECREF(self->buckets[i]);
        if (self->held[i] != NULL)
            dw_py_forest_end(self->held[i]);
    }
    for (int i = 0; i < DW_RENDERER_PARTICLES_MAX; i++) {
        Py_XDECREF(self->styles[i]);
        Py_XDECREF(self->draws[i]);
        Py_XDECREF(self->hub_numbers[i]);
        if (self->hubs[i] != NULL)
            dw_py_hub_end(self->hubs[i]);
    }
    dw_py_grounds_release(&self->grounds);
    Py_XDECREF(self->forests);
    Py_XDECREF(self->particles);
}

static int take_records(frame_arguments *self, frame_array which, PyObject *given, size_t size,
                        const char *argument)
{
    self->arrays[which] = dw_py_records_input(given, size, argument);
    return self->arrays[which] == NULL ? -1 : 0;
}

/* (forest, 51 numbers: planes, the sun's planes, the camera; casts, is hard) */
static int take_forest(const dw_module_state *state, frame_arguments *self, PyObject *device,
                       Py_ssize_t at)
{
    dw_renderer_forest *row = &self->rows[at];
    PyObject *forest, *numbers;
    int casts, is_hard;
    npy_intp shape[2];
    const double *from;

    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(self->forests, at), "OOpp", &forest, &numbers,
                          &casts, &is_hard))
        return -1;
    row->forest = dw_py_forest_begin(state, forest, "forest");
    if (row->forest == NULL)
        return -1;
    self->held[at] = forest;
    if (dw_py_forest_keep_device(state, forest, device) < 0)
        return -1;
    self->numbers[at] = dw_array_input(numbers, NPY_DOUBLE, 1, 1, "forest numbers");
    if (self->numbers[at] == NULL)
        return -1;
    if (PyArray_SIZE(self->numbers[at]) != 51) {
        PyErr_SetString(PyExc_ValueError, "forest numbers must be 51");
        return -1;
    }
    from = PyArray_DATA(self->numbers[at]);
    memcpy(row->planes, from, sizeof row->planes);
    memcpy(row->shadow_planes, from + 24, sizeof row->shadow_planes);
    memcpy(row->camera, from + 48, sizeof row->camera);
    row->casts_shadow = casts != 0;
    row->has_hard_shadow = is_hard != 0;
    shape[0] = dw_forest_get_params(row->forest)->rules.bucket_count + DW_FOREST_COUNTERS;
    shape[1] = 2;
    self->buckets[at] = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_UINT32);
    if (self->buckets[at] == NULL)
        return -1;
    row->buckets = PyArray_DATA(self->buckets[at]);
    return 0;
}

static int take_forests(const dw_module_state *state, frame_arguments *self, PyObject *device,
                        PyObject *given)
{
    Py_ssize_t count;

    self->forests = PySequence_Fast(given, "forests must be a sequence");
    if (self->forests == NULL)
        return -1;
    count = PySequence_Fast_GET_SIZE(self->forests);
    if (count > DW_RENDERER_FORESTS_MAX) {
        PyErr_Format(state->capacity_error, "a scene draws at most %d forests, got %zd",
                     DW_RENDERER_FORESTS_MAX, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (take_forest(state, self, device, i) < 0)
            return -1;
    }
    self->frame.forests = self->rows;
    self->frame.forest_count = (uint32_t)count;
    return 0;
}

/* A hub, and 27 numbers: planes, the camera. */
static int take_hub(const dw_module_state *state, frame_arguments *self, PyObject *device,
                    PyObject *hub, PyObject *numbers, Py_ssize_t at)
{
    dw_renderer_particles *row = &self->particle_rows[at];
    const double *from;

    row->hub = dw_py_hub_begin(state, hub, "particles");
    if (row->hub == NULL)
        return -1;
    self->hubs[at] = hub;
    if (dw_py_hub_keep_device(state, hub, device) < 0)
        return -1;
    self->hub_numbers[at] = dw_array_input(numbers, NPY_DOUBLE, 1, 1, "particle numbers");
    if (self->hub_numbers[at] == NULL)
        return -1;
    if (PyArray_SIZE(self->hub_numbers[at]) != 27) {
        PyErr_SetString(PyExc_ValueError, "particle numbers must be 27");
        return -1;
    }
    from = PyArray_DATA(self->hub_numbers[at]);
    memcpy(row->planes, from, sizeof row->planes);
    memcpy(row->camera, from + 24, sizeof row->camera);
    return 0;
}

/* (hub or handle of sprites, styles, tick of sprites, loop, numbers of a hub) */
static int take_particle(const dw_module_state *state, frame_arguments *self, PyObject *device,
                         Py_ssize_t at)
{
    dw_renderer_particles *row = &self->particle_rows[at];
    PyObject *source, *styles, *numbers;
    unsigned long long tick;
    npy_intp shape[2] = { 0, 4 };

    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(self->particles, at), "OOKIO", &source, &styles,
                          &tick, &row->loop, &numbers))
        return -1;
    if (PyLong_Check(source))
        row->sprites = (uint32_t)PyLong_AsUnsignedLong(source);
    else if (take_hub(state, self, device, source, numbers, at) < 0)
        return -1;
    if (PyErr_Occurred())
        return -1;
    self->styles[at] = dw_py_records_input(styles, sizeof(dw_particle_style), "styles");
    if (self->styles[at] == NULL)
        return -1;
    shape[0] = PyArray_DIM(self->styles[at], 0);
    if (shape[0] < 1 || shape[0] > DW_PARTICLE_LAYERS_MAX) {
        PyErr_Format(PyExc_ValueError, "styles must be of 1 to %d layers, got %zd",
                     DW_PARTICLE_LAYERS_MAX, (Py_ssize_t)shape[0]);
        return -1;
    }
    self->draws[at] = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_UINT32);
    if (self->draws[at] == NULL)
        return -1;
    row->styles = PyArray_DATA(self->styles[at]);
    row->layer_count = (uint32_t)shape[0];
    row->tick = tick;
    row->draws = PyArray_DATA(self->draws[at]);
    return 0;
}

static int take_particles(const dw_module_state *state, frame_arguments *self, PyObject *device,
                          PyObject *given)
{
    Py_ssize_t count;

    self->particles = PySequence_Fast(given, "particles must be a sequence");
    if (self->particles == NULL)
        return -1;
    count = PySequence_Fast_GET_SIZE(self->particles);
    if (count > DW_RENDERER_PARTICLES_MAX) {
        PyErr_Format(state->capacity_error, "a scene draws at most %d particle managers, got %zd",
                     DW_RENDERER_PARTICLES_MAX, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (take_particle(state, self, device, i) < 0)
            return -1;
    }
    self->frame.particles = self->particle_rows;
    self->frame.particle_count = (uint32_t)count;
    return 0;
}

static int take_frame(const dw_module_state *state, frame_arguments *self, PyObject *device,
                      PyObject *given[8])
{
    dw_renderer_frame *frame = &self->frame;

    if (take_records(self, VIEWS, given[0], sizeof(dw_scene_view), "views") < 0 ||
        take_records(self, MATERIALS, given[1], sizeof(dw_scene_material), "materials") < 0 ||
        take_records(self, TRANSFORMS, given[2], 12 * sizeof(float), "transforms") < 0 ||
        take_records(self, WORDS, given[3], sizeof(uint32_t), "words") < 0 ||
        take_records(self, ITEMS, given[4], sizeof(dw_scene_item), "items") < 0 ||
        take_forests(state, self, device, given[5]) < 0 ||
        take_particles(state, self, device, given[6]) < 0 ||
        dw_py_grounds_take(state, &self->grounds, given[7]) < 0)
        return -1;
    frame->grounds = self->grounds.rows;
    frame->ground_count = self->grounds.count;
    frame->views = PyArray_DATA(self->arrays[VIEWS]);
    frame->sub_frames = (uint32_t)PyArray_DIM(self->arrays[VIEWS], 0);
    frame->materials = PyArray_DATA(self->arrays[MATERIALS]);
    frame->material_count = (uint32_t)PyArray_DIM(self->arrays[MATERIALS], 0);
    frame->transforms = PyArray_DATA(self->arrays[TRANSFORMS]);
    frame->words = PyArray_DATA(self->arrays[WORDS]);
    frame->row_count = (uint32_t)PyArray_DIM(self->arrays[TRANSFORMS], 0);
    frame->items = PyArray_DATA(self->arrays[ITEMS]);
    frame->item_count = (uint32_t)PyArray_DIM(self->arrays[ITEMS], 0);
    if (frame->sub_frames >= 1 && frame->material_count >= 1 &&
        PyArray_DIM(self->arrays[WORDS], 0) == PyArray_DIM(self->arrays[TRANSFORMS], 0))
        return 0;
    PyErr_SetString(PyExc_ValueError, "a frame has at least one view and one material, and as many "
                                      "words as transforms");
    return -1;
}

static PyArrayObject *new_plane(const dw_scene_size *size, int type_number, bool has_channels)
{
    npy_intp shape[3] = { size->height, size->width, 4 };

    return (PyArrayObject *)PyArray_SimpleNew(has_channels ? 3 : 2, shape, type_number);
}

static PyObject *pack_arrays(PyArrayObject *const *arrays, uint32_t count)
{
    PyObject *all = PyTuple_New(count);

    for (uint32_t i = 0; all != NULL && i < count; i++)
        PyTuple_SET_ITEM(all, i, Py_NewRef((PyObject *)arrays[i]));
    return all;
}

static PyObject *renderer_render(PyObject *object, PyObject *args)
{
    const dw_module_state *state = dw_type_get_state(Py_TYPE(object));
    dw_py_renderer *self = (dw_py_renderer *)object;
    frame_arguments taken; /* about 50 KB: a frame takes no memory of the heap */
    PyArrayObject *color = NULL, *depth = NULL, *ids = NULL;
    PyObject *given[8], *result = NULL;
    dw_renderer_picture picture = { 0 };
    int has_sky, has_shadow, wants_more;
    dw_device *device;
    dw_glue_run run;
    dw_status status;
    dw_error err;

    if (state == NULL)
        return NULL;
    memset(&taken, 0, sizeof taken);
    if (!PyArg_ParseTuple(args, "OOOOOOOOpp(ffff)p:render", &given[0], &given[1], &given[2],
                          &given[3], &given[4], &given[5], &given[6], &given[7], &has_sky,
                          &has_shadow, &taken.frame.clear[0], &taken.frame.clear[1],
                          &taken.frame.clear[2], &taken.frame.clear[3], &wants_more) ||
        take_frame(state, &taken, self->device, given) < 0)
        goto done;
    if (self->renderer == NULL) {
        PyErr_SetString(PyExc_ValueError, "the renderer is closed: make a new one");
        goto done;
    }
    taken.frame.has_sky = has_sky != 0;
    taken.frame.has_shadow = has_shadow != 0;
    color = new_plane(dw_renderer_size(self->renderer), NPY_UINT8, true);
    depth = new_plane(dw_renderer_size(self->renderer), NPY_FLOAT32, false);
    ids = new_plane(dw_renderer_size(self->renderer), NPY_UINT32, false);
    if (color == NULL || depth == NULL || ids == NULL)
        goto done;
    picture.color = PyArray_DATA(color);
    picture.depth = wants_more ? PyArray_DATA(depth) : NULL;
    picture.ids = wants_more ? PyArray_DATA(ids) : NULL;
    device = dw_py_renderer_begin(state, self, &run);
    if (device == NULL)
        goto done;
    status = dw_renderer_render(self->renderer, device, &taken.frame, &run.run, &picture, &err);
    if (dw_py_renderer_end(state, self, device, &run, status, &err) == 0)
        result = Py_BuildValue("(OOONNN)", color, wants_more ? (PyObject *)depth : Py_None,
                               wants_more ? (PyObject *)ids : Py_None,
                               pack_arrays(taken.buckets, taken.frame.forest_count),
                               pack_arrays(taken.draws, taken.frame.particle_count),
                               pack_arrays(taken.grounds.commands, taken.frame.ground_count));
done:
    Py_XDECREF(color);
    Py_XDECREF(depth);
    Py_XDECREF(ids);
    release_arguments(&taken);
    return result;
}

static PyMethodDef renderer_methods[] = {
    { "add_mesh", renderer_add_mesh, METH_VARARGS,
      "add_mesh($self, vertices, indices, /)\n--\n\nKeep a mesh; its handle." },
    { "remove_mesh", renderer_remove_mesh, METH_O,
      "remove_mesh($self, handle, /)\n--\n\nLet a mesh go." },
    { "add_texture", renderer_add_texture, METH_VARARGS,
      "add_texture($self, levels, srgb, wrap, /)\n--\n\nKeep a texture; its handle." },
    { "remove_texture", renderer_remove_texture, METH_O,
      "remove_texture($self, handle, /)\n--\n\nLet a texture go." },
    { "add_sprites", renderer_add_sprites, METH_VARARGS,
      "add_sprites($self, sprites, counts, /)\n--\n\nKeep sprites, layer by layer; their handle." },
    { "remove_sprites", renderer_remove_sprites, METH_O,
      "remove_sprites($self, handle, /)\n--\n\nLet sprites go." },
    { "add_layers", dw_py_renderer_add_layers, METH_VARARGS,
      "add_layers($self, levels, srgb, wrap, /)\n--\n\nKeep a texture array, levels of (layers, "
      "h, w, 4) bytes, or one of halves; its handle, of a texture." },
    { "add_ground", dw_py_renderer_add_ground, METH_VARARGS,
      "add_ground($self, heights, bounds, capacity, weights, ranks, /)\n--\n\nKeep a terrain; its "
      "handle." },
    { "remove_ground", renderer_remove_ground, METH_O,
      "remove_ground($self, handle, /)\n--\n\nLet a terrain go." },
    { "set_ranks", renderer_set_ranks, METH_O,
      "set_ranks($self, words, /)\n--\n\nThe dither ranks, two to a word." },
    { "render", renderer_render, METH_VARARGS,
      "render($self, views, materials, transforms, words, items, forests, particles, grounds, "
      "has_sky, has_shadow, clear, wants_more, /)\n--\n\nDraw a frame: color, depth, ids, buckets "
      "of each "
      "forest, draws of each hub's layers and of each terrain." },
    { "close", renderer_close, METH_NOARGS, "close($self, /)\n--\n\nGive the memory back." },
    { NULL, NULL, 0, NULL },
};

static PyGetSetDef renderer_members[] = {
    { "closed", renderer_closed, NULL, "True once close() was called.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot renderer_slots[] = {
    { Py_tp_doc, "Renderer(device, width, height, samples, shadow_side, accumulating)\n--\n\n"
                 "Targets, meshes and textures of the headless renderer." },
    { Py_tp_new, renderer_new },
    { Py_tp_dealloc, renderer_dealloc },
    { Py_tp_traverse, renderer_traverse },
    { Py_tp_methods, renderer_methods },
    { Py_tp_getset, renderer_members },
    { 0, NULL },
};

static PyType_Spec renderer_spec = {
    .name = "dapplewood._core.Renderer",
    .basicsize = sizeof(dw_py_renderer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = renderer_slots,
};

int dw_renderer_exec(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &renderer_spec, NULL);
    int result = type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);

    Py_XDECREF(type);
    return result;
}

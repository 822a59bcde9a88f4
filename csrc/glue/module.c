/* SPDX-License-Identifier: MIT */
#include "glue/module.h"

#include "base/alloc.h"
#include "glue/arrays.h"

#ifndef DW_VERSION
#error "DW_VERSION comes from pyproject.toml through setup.py"
#endif

dw_module_state *dw_module_get_state(PyObject *module)
{
    return PyModule_GetState(module);
}

dw_module_state *dw_type_get_state(PyTypeObject *type)
{
    PyObject *module = PyType_GetModuleByDef(type, &dw_module_def);

    return module == NULL ? NULL : dw_module_get_state(module);
}

int dw_module_add(PyObject *module, const char *name, PyObject *value)
{
    int result = value == NULL ? -1 : PyModule_AddObjectRef(module, name, value);

    Py_XDECREF(value);
    return result;
}

static PyObject *module_allocations(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromLongLong(dw_alloc_live_count());
}

static PyObject *module_allocation_total(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromLongLong(dw_alloc_total_count());
}

static PyMethodDef module_methods[] = {
    { "host_allocation_total", module_allocation_total, METH_NOARGS,
      "host_allocation_total($module, /)\n--\n\nBlocks of host memory that the core ever took." },
    { "host_allocations", module_allocations, METH_NOARGS,
      "host_allocations($module, /)\n--\n\nBlocks of host memory that the core holds now." },
    { NULL, NULL, 0, NULL },
};

static int module_exec(PyObject *module)
{
    if (dw_arrays_import() < 0)
        return -1;
    if (PyModule_AddStringConstant(module, "__version__", DW_VERSION) < 0)
        return -1;
    if (dw_errors_exec(module) < 0 || dw_registry_exec(module) < 0 || dw_device_exec(module) < 0 ||
        dw_buffer_exec(module) < 0 || dw_dissolve_exec(module) < 0 || dw_dither_exec(module) < 0 ||
        dw_atlas_exec(module) < 0 || dw_measure_exec(module) < 0 || dw_forest_exec(module) < 0 ||
        dw_hub_exec(module) < 0 || dw_renderer_exec(module) < 0 || dw_tree_exec(module) < 0 ||
        dw_skin_exec(module) < 0 || dw_tree_refit_exec(module) < 0 ||
        dw_tree_gpu_refit_exec(module) < 0 || dw_trees_exec(module) < 0 ||
        dw_tree_gpu_exec(module) < 0 || dw_particle_exec(module) < 0 ||
        dw_particle_effects_exec(module) < 0 || dw_particle_steps_exec(module) < 0 ||
        dw_terrain_exec(module) < 0 || dw_terrain_compose_exec(module) < 0 ||
        dw_terrain_weights_exec(module) < 0)
        return -1;
    return 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    dw_module_state *state = dw_module_get_state(module);

#define DW_STATE_VISIT(name) Py_VISIT(state->name);
    DW_STATE_OBJECTS(DW_STATE_VISIT)
#undef DW_STATE_VISIT
    return 0;
}

static int module_clear(PyObject *module)
{
    dw_module_state *state = dw_module_get_state(module);

#define DW_STATE_CLEAR(name) Py_CLEAR(state->name);
    DW_STATE_OBJECTS(DW_STATE_CLEAR)
#undef DW_STATE_CLEAR
    return 0;
}

static void module_free(void *module)
{
    module_clear((PyObject *)module);
}

static PyModuleDef_Slot module_slots[] = {
    { Py_mod_exec, module_exec },
    { 0, NULL },
};

struct PyModuleDef dw_module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "dapplewood._core",
    .m_doc = "The C core of dapplewood. Use the names of the package itself.",
    .m_size = sizeof(dw_module_state),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&dw_module_def);
}

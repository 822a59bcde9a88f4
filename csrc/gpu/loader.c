/* SPDX-License-Identifier: MIT */
#include "gpu/loader_internal.h"

#include "base/alloc.h"
#include "base/platform.h"

#include <stdio.h>
#include <string.h>

#define VALIDATION_LAYER   "VK_LAYER_KHRONOS_validation"
#define LOADER_ENVIRONMENT "DAPPLEWOOD_VULKAN_LOADER"

/* Guarded by dw_global_lock. The library stays open for good: drivers do not survive its close. */
static struct {
    int64_t process_id; /* whose instances these are */
    dw_library library;
    char library_name[512];
    uint32_t api_version;
    bool is_loaded;    /* volk's table is filled */
    bool has_hardware; /* a hardware driver was started by this process or one it was forked from */
    bool is_forked;    /* it was started before the fork */
    dw_vk_instance instances[2]; /* plain, validating */
} loader;

/* Kept apart from the loader's lock: the layer calls back from inside any Vulkan call. */
static struct {
    dw_mutex lock;
    dw_validation_log log;
} validation;

static VKAPI_ATTR VkBool32 VKAPI_CALL keep_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT type,
                                                   const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                   void *user)
{
    dw_validation_log *log = &validation.log;

    (void)type;
    (void)user;
    dw_mutex_lock(&validation.lock);
    log->total++;
    if (log->count < DW_VALIDATION_KEPT_MAX)
        snprintf(log->texts[log->count++], DW_VALIDATION_TEXT_MAX, "%s: %s",
                 severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT ? "error" : "warning",
                 data->pMessage == NULL ? "(no text)" : data->pMessage);
    dw_mutex_unlock(&validation.lock);
    return VK_FALSE;
}

void dw_gpu_validation_read(bool clear, dw_validation_log *out)
{
    bool is_live;

    dw_global_lock();
    is_live = validation.lock.handle != NULL;
    dw_global_unlock();
    memset(out, 0, sizeof *out);
    if (!is_live)
        return;
    dw_mutex_lock(&validation.lock);
    *out = validation.log;
    if (clear)
        memset(&validation.log, 0, sizeof validation.log);
    dw_mutex_unlock(&validation.lock);
}

static dw_status fail_no_loader(const char *const *names, const char *why, dw_error *err)
{
    char tried[256] = "";
    size_t length = 0;

    for (; *names != NULL && length < sizeof tried; names++)
        length += (size_t)snprintf(tried + length, sizeof tried - length, "%s%s",
                                   length == 0 ? "" : ", ", *names);
    return dw_fail(err, DW_ERROR_DEVICE_NOT_FOUND,
                   "no Vulkan loader: tried %s (%s); %s is %s. Device(\"cpu\") works without one. "
                   "To install one: %s",
                   tried, why, LOADER_ENVIRONMENT,
                   dw_platform_environment(LOADER_ENVIRONMENT) != NULL ? "set" : "unset",
                   dw_platform_vulkan_install_hint());
}

static dw_status open_library(dw_error *err)
{
    const char *chosen = dw_platform_environment(LOADER_ENVIRONMENT);
    const char *const only[] = { chosen, NULL };
    const char *const *names = chosen != NULL ? only : dw_platform_vulkan_loader_names();
    char why[256] = "not found";
    PFN_vkGetInstanceProcAddr get = NULL;

    for (int i = 0; names[i] != NULL && loader.library.handle == NULL; i++) {
        const char *const name[] = { names[i], NULL };

        if (dw_library_open(&loader.library, name, why, sizeof why))
            snprintf(loader.library_name, sizeof loader.library_name, "%s", names[i]);
    }
    if (loader.library.handle == NULL)
        return fail_no_loader(names, why, err);
    *(void **)&get = dw_library_symbol(&loader.library, "vkGetInstanceProcAddr");
    if (get == NULL) {
        dw_library_close(&loader.library);
        return fail_no_loader(names, "it has no vkGetInstanceProcAddr", err);
    }
    volkInitializeCustom(get);
    loader.api_version = volkGetInstanceVersion();
    return DW_OK;
}

/* A child process shares the library but none of the driver's threads: it starts afresh and leaves
 * the parent's instances alone. Hardware drivers do not survive even that: NVIDIA's hangs in the
 * child for ever. */
static void forget_parent(void)
{
    if (loader.process_id == dw_platform_process_id())
        return;
    memset(loader.instances, 0, sizeof loader.instances);
    validation.lock.handle = NULL; /* may have been held at the fork */
    loader.is_forked = loader.has_hardware;
    loader.process_id = dw_platform_process_id();
}

void dw_vk_note_hardware(void)
{
    loader.has_hardware = true;
}

static bool has_layer(const char *name)
{
    VkLayerProperties rows[64];
    uint32_t count = DW_COUNT_OF(rows);

    if (vkEnumerateInstanceLayerProperties(&count, rows) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(rows[i].layerName, name) == 0)
            return true;
    }
    return false;
}

static bool has_extension(const char *layer, const char *name)
{
    VkExtensionProperties rows[128];
    uint32_t count = DW_COUNT_OF(rows);

    if (vkEnumerateInstanceExtensionProperties(layer, &count, rows) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(rows[i].extensionName, name) == 0)
            return true;
    }
    return false;
}

static const char *environment_or(const char *name, const char *otherwise)
{
    const char *value = dw_platform_environment(name);

    return value != NULL ? value : otherwise;
}

static dw_status fail_instance(VkResult result, dw_error *err)
{
    bool has_no_driver = result == VK_ERROR_INCOMPATIBLE_DRIVER;

    return dw_fail(
        err, DW_ERROR_DEVICE_NOT_FOUND,
        "the Vulkan loader %s %s (%s, %d); VK_DRIVER_FILES is %s, VK_ICD_FILENAMES is "
        "%s. Device(\"cpu\") works without one. To install a driver: %s",
        loader.library_name, has_no_driver ? "found no driver" : "could not make an instance",
        dw_vk_result_name(result), (int)result, environment_or("VK_DRIVER_FILES", "unset"),
        environment_or("VK_ICD_FILENAMES", "unset"), dw_platform_vulkan_install_hint());
}

/* Instance extensions and layers that this process wants and has. */
typedef struct instance_parts {
    const char *extensions[4];
    uint32_t extension_count;
    const char *layers[1];
    uint32_t layer_count;
    bool has_debug_utils;
    bool has_portability;
    bool has_validation_features;
} instance_parts;

static void choose_parts(bool is_validating, instance_parts *out)
{
    *out = (instance_parts) { .extension_count = 0 };
    out->has_debug_utils = has_extension(NULL, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (out->has_debug_utils)
        out->extensions[out->extension_count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    out->has_portability = has_extension(NULL, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    if (out->has_portability)
        out->extensions[out->extension_count++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
    if (!is_validating)
        return;
    out->layers[out->layer_count++] = VALIDATION_LAYER;
    out->has_validation_features =
        has_extension(VALIDATION_LAYER, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
    if (out->has_validation_features)
        out->extensions[out->extension_count++] = VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
}

static VkResult create_instance(const instance_parts *parts, VkInstance *out)
{
    const VkValidationFeatureEnableEXT enabled[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
    };
    VkValidationFeaturesEXT features = { .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                         .enabledValidationFeatureCount = DW_COUNT_OF(enabled),
                                         .pEnabledValidationFeatures = enabled };
    VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                      .pApplicationName = "dapplewood",
                                      .pEngineName = "dapplewood",
                                      .apiVersion = VK_API_VERSION_1_3 };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = parts->has_validation_features ? &features : NULL,
        .flags = parts->has_portability ? VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR : 0,
        .pApplicationInfo = &application,
        .enabledLayerCount = parts->layer_count,
        .ppEnabledLayerNames = parts->layers,
        .enabledExtensionCount = parts->extension_count,
        .ppEnabledExtensionNames = parts->extensions,
    };

    return vkCreateInstance(&info, NULL, out);
}

static dw_status create_messenger(dw_vk_instance *instance, dw_error *err)
{
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance->handle,
                                                                  "vkCreateDebugUtilsMessengerEXT");
    VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = keep_message,
    };

    if (create == NULL)
        return dw_fail(err, DW_ERROR_DEVICE,
                       "validation needs VK_EXT_debug_utils, which the Vulkan loader %s lacks",
                       loader.library_name);
    if (validation.lock.handle == NULL && !dw_mutex_init(&validation.lock))
        return dw_fail_memory(err, "validation lock", sizeof validation.lock);
    return dw_vk_check(create(instance->handle, &info, NULL, &instance->messenger),
                       "vkCreateDebugUtilsMessengerEXT", err);
}

static void destroy_instance(dw_vk_instance *instance)
{
    PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger;

    if (instance->handle == VK_NULL_HANDLE)
        return;
    destroy_messenger = (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
        instance->handle, "vkDestroyDebugUtilsMessengerEXT");
    if (instance->messenger != VK_NULL_HANDLE && destroy_messenger != NULL)
        destroy_messenger(instance->handle, instance->messenger, NULL);
    vkDestroyInstance(instance->handle, NULL);
    *instance = (dw_vk_instance) { .device_count = 0 };
}

static void load_debug_names(dw_vk_instance *instance)
{
    VkInstance handle = instance->handle;

    instance->set_name = (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(
        handle, "vkSetDebugUtilsObjectNameEXT");
    instance->begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(
        handle, "vkCmdBeginDebugUtilsLabelEXT");
    instance->end_label =
        (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetInstanceProcAddr(handle, "vkCmdEndDebugUtilsLabelEXT");
}

static dw_status make_instance(bool is_validating, dw_vk_instance *out, dw_error *err)
{
    dw_vk_instance instance = { .device_count = 0 };
    instance_parts parts;
    VkResult result;

    if (is_validating && !has_layer(VALIDATION_LAYER))
        return dw_fail(err, DW_ERROR_DEVICE,
                       "validation needs the layer " VALIDATION_LAYER
                       ", which is not installed. Debian or Ubuntu: apt install "
                       "vulkan-validationlayers; elsewhere: the Vulkan SDK of LunarG");
    choose_parts(is_validating, &parts);
    result = create_instance(&parts, &instance.handle);
    if (result != VK_SUCCESS)
        return fail_instance(result, err);
    if (parts.has_debug_utils)
        load_debug_names(&instance);
    if (!loader.is_loaded) /* every instance has the loader's own trampolines */
        volkLoadInstance(instance.handle);
    loader.is_loaded = true;
    if (is_validating)
        DW_TRY(create_messenger(&instance, err));
    *out = instance;
    return DW_OK;
fail:
    destroy_instance(&instance);
    return err->code;
}

dw_status dw_vk_instance_get(bool is_validating, dw_vk_instance **out, dw_error *err)
{
    dw_vk_instance *instance = &loader.instances[is_validating];

    forget_parent();
    if (loader.is_forked)
        return dw_fail(err, DW_ERROR_FORKED,
                       "this process was forked from one that had started a Vulkan driver, and "
                       "drivers do not survive a fork: use Device(\"cpu\") here, or start "
                       "processes with multiprocessing.get_context(\"spawn\") or \"forkserver\"");
    if (loader.library.handle == NULL)
        DW_TRY(open_library(err));
    if (instance->handle == VK_NULL_HANDLE)
        DW_TRY(make_instance(is_validating, instance, err));
    *out = instance;
    return DW_OK;
fail:
    return err->code;
}

dw_gpu_loader_info dw_gpu_loader_get_info(void)
{
    dw_gpu_loader_info info = { .is_open = false };

    dw_global_lock();
    info.is_open = loader.library.handle != NULL;
    if (info.is_open) {
        snprintf(info.library, sizeof info.library, "%s", loader.library_name);
        snprintf(info.api_version, sizeof info.api_version, "%u.%u.%u",
                 VK_API_VERSION_MAJOR(loader.api_version), VK_API_VERSION_MINOR(loader.api_version),
                 VK_API_VERSION_PATCH(loader.api_version));
        info.has_validation = has_layer(VALIDATION_LAYER);
    }
    dw_global_unlock();
    return info;
}

void dw_gpu_loader_shutdown(void)
{
    dw_global_lock();
    forget_parent();
    for (size_t i = 0; i < DW_COUNT_OF(loader.instances); i++) {
        if (loader.instances[i].device_count == 0)
            destroy_instance(&loader.instances[i]);
    }
    dw_global_unlock();
}

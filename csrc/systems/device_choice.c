/* SPDX-License-Identifier: MIT */
#include "systems/device_choice.h"

#include "base/alloc.h"
#include "base/platform.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS "\"cpu\", \"gpu\", \"software\", an index, \"uuid:...\" or \"name:...\""

static dw_device_info native_info(void)
{
    dw_device_info info = { .index = DW_DEVICE_NATIVE_INDEX, .kind = DW_DEVICE_NATIVE };

    snprintf(info.name, sizeof info.name, "native C");
    snprintf(info.driver, sizeof info.driver, "dapplewood");
    return info;
}

static dw_device_info info_of(const dw_gpu_adapter *adapter, int index)
{
    static const dw_device_kind kinds[] = {
        [DW_GPU_DISCRETE] = DW_DEVICE_DISCRETE,
        [DW_GPU_INTEGRATED] = DW_DEVICE_INTEGRATED,
        [DW_GPU_VIRTUAL] = DW_DEVICE_VIRTUAL,
        [DW_GPU_SOFTWARE] = DW_DEVICE_SOFTWARE,
    };
    dw_device_info info = { .index = index,
                            .kind = kinds[adapter->kind],
                            .memory_bytes = adapter->memory_bytes };

    snprintf(info.name, sizeof info.name, "%s", adapter->name);
    snprintf(info.uuid, sizeof info.uuid, "%s", adapter->uuid);
    snprintf(info.driver, sizeof info.driver, "%s", adapter->driver);
    snprintf(info.api_version, sizeof info.api_version, "%s", adapter->api_version);
    snprintf(info.missing, sizeof info.missing, "%s", adapter->missing);
    return info;
}

static bool begins_with(const char *text, const char *prefix, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (tolower((unsigned char)text[i]) != tolower((unsigned char)prefix[i]))
            return false;
    }
    return true;
}

static bool contains(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (; strlen(text) >= length; text++) {
        if (begins_with(text, part, length))
            return true;
    }
    return false;
}

/* The `number`-th NVIDIA adapter in the driver's order; NULL when there are fewer. */
static const dw_gpu_adapter *nvidia_by_number(const dw_gpu_adapters *all, long number)
{
    for (int i = 0; i < all->count; i++) {
        if (all->rows[i].vendor_id == DW_GPU_VENDOR_NVIDIA && number-- == 0)
            return &all->rows[i];
    }
    return NULL;
}

static const dw_gpu_adapter *nvidia_by_entry(const dw_gpu_adapters *all, const char *entry,
                                             size_t length)
{
    char *end = NULL;
    long number = strtol(entry, &end, 10);

    if (end == entry + length && length > 0)
        return number < 0 ? NULL : nvidia_by_number(all, number);
    if (length <= 4 || !begins_with(entry, "GPU-", 4))
        return NULL;
    for (int i = 0; i < all->count; i++) {
        if (all->rows[i].vendor_id == DW_GPU_VENDOR_NVIDIA &&
            strlen(all->rows[i].uuid) >= length - 4 &&
            begins_with(all->rows[i].uuid, entry + 4, length - 4))
            return &all->rows[i];
    }
    return NULL;
}

/* Copies what CUDA_VISIBLE_DEVICES lets through: NVIDIA devices in its order, up to the first entry
 * that names none, as CUDA reads it; others always. Set but empty, it hides every NVIDIA device. */
static void keep_visible(const dw_gpu_adapters *all, dw_gpu_adapters *out)
{
    const char *entry = getenv("CUDA_VISIBLE_DEVICES");

    out->count = 0;
    for (int i = 0; i < all->count; i++) {
        if (entry == NULL || all->rows[i].vendor_id != DW_GPU_VENDOR_NVIDIA)
            out->rows[out->count++] = all->rows[i];
    }
    while (entry != NULL && out->count < DW_GPU_ADAPTERS_MAX) {
        size_t length = strcspn(entry, ",");
        const dw_gpu_adapter *found = nvidia_by_entry(all, entry, length);

        if (found == NULL)
            return;
        out->rows[out->count++] = *found;
        entry = entry[length] == ',' ? entry + length + 1 : NULL;
    }
}

static int rank(const dw_gpu_adapter *adapter)
{
    return (int)adapter->kind + (adapter->missing[0] != '\0' ? 100 : 0);
}

/* Best first; a stable order among equals. */
static void sort_adapters(dw_gpu_adapters *list)
{
    for (int i = 1; i < list->count; i++) {
        dw_gpu_adapter row = list->rows[i];
        int at = i;

        for (; at > 0 && rank(&list->rows[at - 1]) > rank(&row); at--)
            list->rows[at] = list->rows[at - 1];
        list->rows[at] = row;
    }
}

static dw_status list_visible(bool is_validating, dw_gpu_adapters *out, dw_error *err)
{
    dw_gpu_adapters *all = NULL;

    DW_TRY(DW_ALLOC_ZEROED(1, &all, err));
    DW_TRY(dw_gpu_adapters_list(is_validating, all, err));
    keep_visible(all, out);
    sort_adapters(out);
    dw_free(all);
    return DW_OK;
fail:
    dw_free(all);
    return err->code;
}

void dw_device_list_all(dw_device_list *out)
{
    dw_gpu_adapters *adapters = NULL;

    memset(out, 0, sizeof *out);
    if (DW_ALLOC_ZEROED(1, &adapters, &out->vulkan) == DW_OK &&
        list_visible(false, adapters, &out->vulkan) == DW_OK) {
        for (; out->count < adapters->count; out->count++)
            out->infos[out->count] = info_of(&adapters->rows[out->count], out->count);
    }
    dw_free(adapters);
    out->infos[out->count++] = native_info();
}

/* The first adapter that passes; NULL when none does. `text` is what follows the word. */
typedef bool (*match_fn)(const dw_gpu_adapter *adapter, const char *text);

static bool is_hardware(const dw_gpu_adapter *adapter, const char *text)
{
    (void)text;
    return adapter->kind != DW_GPU_SOFTWARE && adapter->missing[0] == '\0';
}

static bool is_software(const dw_gpu_adapter *adapter, const char *text)
{
    (void)text;
    return adapter->kind == DW_GPU_SOFTWARE && adapter->missing[0] == '\0';
}

static bool has_uuid(const dw_gpu_adapter *adapter, const char *text)
{
    return strlen(text) <= strlen(adapter->uuid) && begins_with(adapter->uuid, text, strlen(text));
}

static bool has_name(const dw_gpu_adapter *adapter, const char *text)
{
    return contains(adapter->name, text);
}

static int find(const dw_gpu_adapters *list, match_fn matches, const char *text)
{
    for (int i = 0; i < list->count; i++) {
        if (matches(&list->rows[i], text))
            return i;
    }
    return -1;
}

/* "name (kind), name (kind, lacks this, that)" */
static void describe(const dw_gpu_adapters *list, char *text, size_t text_size)
{
    size_t length = 0;

    snprintf(text, text_size, "none");
    for (int i = 0; i < list->count && length < text_size; i++) {
        const dw_device_info info = info_of(&list->rows[i], i);
        const char *lacks = info.missing[0] != '\0' ? "; lacks " : "";

        length += (size_t)snprintf(text + length, text_size - length, "%s%d: %.80s (%s%s%.160s)",
                                   i == 0 ? "" : ", ", i, info.name, dw_device_kind_name(info.kind),
                                   lacks, info.missing);
    }
}

static dw_status fail_choice(const char *which, const dw_gpu_adapters *list, dw_error *err)
{
    const char *hidden =
        getenv("CUDA_VISIBLE_DEVICES") != NULL ? " CUDA_VISIBLE_DEVICES is set." : "";
    char found[512];
    bool has_hardware = false;

    describe(list, found, sizeof found);
    for (int i = 0; i < list->count; i++)
        has_hardware = has_hardware || list->rows[i].kind != DW_GPU_SOFTWARE;
    if (list->count == 0)
        return dw_fail(err, DW_ERROR_DEVICE_NOT_FOUND,
                       "no device \"%s\": the installed Vulkan drivers found no device.%s "
                       "Device(\"cpu\") needs none. For a software device: %s",
                       which, hidden, dw_platform_vulkan_install_hint());
    if (strcmp(which, "gpu") == 0 && !has_hardware)
        return dw_fail(err, DW_ERROR_DEVICE_NOT_FOUND,
                       "no device \"gpu\": there is only a software device (%s).%s Ask for "
                       "Device(\"software\") to use it, or Device(\"cpu\"), which is faster; for a "
                       "card install its Vulkan driver",
                       found, hidden);
    return dw_fail(err, DW_ERROR_DEVICE_NOT_FOUND,
                   "no device \"%s\" that will do among the Vulkan devices: %s.%s Update the "
                   "driver of a device that lacks features, or use Device(\"cpu\")",
                   which, found, hidden);
}

/* Sets *index to the adapter that `which` means; -1 when there is none. */
static dw_status match_word(const char *which, const dw_gpu_adapters *list, int *index,
                            dw_error *err)
{
    char *end = NULL;
    long number = strtol(which, &end, 10);

    if (strcmp(which, "gpu") == 0)
        *index = find(list, is_hardware, "");
    else if (strcmp(which, "software") == 0)
        *index = find(list, is_software, "");
    else if (strncmp(which, "uuid:", 5) == 0 && which[5] != '\0')
        *index = find(list, has_uuid, which + 5);
    else if (strncmp(which, "name:", 5) == 0 && which[5] != '\0')
        *index = find(list, has_name, which + 5);
    else if (which[0] != '\0' && *end == '\0')
        *index = number >= 0 && number < list->count ? (int)number : -1;
    else
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "which (or DAPPLEWOOD_DEVICE) must be " WORDS ", got \"%.100s\"", which);
    return DW_OK;
}

static dw_status choose_listed(const char *which, const dw_gpu_adapters *list,
                               dw_device_choice *out, dw_error *err)
{
    int index = -1;

    if (match_word(which, list, &index, err) != DW_OK)
        return err->code;
    if (index < 0 || list->rows[index].missing[0] != '\0')
        return fail_choice(which, list, err);
    out->is_native = false;
    out->adapter = list->rows[index];
    out->info = info_of(&out->adapter, index);
    return DW_OK;
}

/* Without a wish: the best hardware device; native when there is none, for whatever reason. */
static dw_status choose_best(const dw_gpu_adapters *list, dw_device_choice *out)
{
    int index = find(list, is_hardware, "");

    if (index >= 0) {
        out->is_native = false;
        out->adapter = list->rows[index];
        out->info = info_of(&out->adapter, index);
    }
    return DW_OK;
}

dw_status dw_device_choose(const char *which, bool is_validating, dw_device_choice *out,
                           dw_error *err)
{
    static const dw_gpu_adapters none = { .count = 0 };
    dw_gpu_adapters *list = NULL;
    dw_status status;
    int index;

    if (which == NULL)
        which = dw_platform_environment("DAPPLEWOOD_DEVICE");
    *out = (dw_device_choice) { .is_native = true, .info = native_info() };
    if (which != NULL && (strcmp(which, "cpu") == 0 || strcmp(which, "-1") == 0))
        return DW_OK;
    if (which != NULL && match_word(which, &none, &index, err) != DW_OK)
        return err->code; /* before a driver is touched */
    if (DW_ALLOC_ZEROED(1, &list, err) != DW_OK)
        return err->code;
    status = list_visible(is_validating, list, err);
    if (which == NULL && (status == DW_OK || status == DW_ERROR_DEVICE_NOT_FOUND))
        status = choose_best(list, out);
    else if (status == DW_OK)
        status = choose_listed(which, list, out, err);
    dw_free(list);
    return status;
}

/* SPDX-License-Identifier: MIT */
#include "gpu/pipeline_internal.h"

#include "base/alloc.h"
#include "generated/spirv.h"
#include "gpu/device_internal.h"

#include <string.h>

static dw_pipeline *find(const dw_gpu *gpu, uint32_t shader_id, const uint32_t *spec_constants,
                         uint32_t spec_count)
{
    for (dw_pipeline *pipeline = gpu->pipelines; pipeline != NULL; pipeline = pipeline->next) {
        if (pipeline->shader_id == shader_id && pipeline->spec_count == spec_count &&
            (spec_count == 0 || memcmp(pipeline->spec_constants, spec_constants,
                                       spec_count * sizeof *spec_constants) == 0))
            return pipeline;
    }
    return NULL;
}

static dw_status create_handle(dw_gpu *gpu, dw_pipeline *pipeline, dw_error *err)
{
    const dw_shader *shader = pipeline->shader;
    VkShaderModule module = VK_NULL_HANDLE;
    VkShaderModuleCreateInfo code = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = shader->word_count * sizeof(uint32_t),
                                      .pCode = shader->words };
    VkSpecializationMapEntry entries[DW_SPECIALIZATIONS_MAX];
    VkSpecializationInfo constants = { .mapEntryCount = pipeline->spec_count,
                                       .pMapEntries = entries,
                                       .dataSize = pipeline->spec_count * sizeof(uint32_t),
                                       .pData = pipeline->spec_constants };
    VkComputePipelineCreateInfo info = { .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                         .layout = pipeline->layout.handle };
    VkResult result;

    for (uint32_t i = 0; i < pipeline->spec_count; i++)
        entries[i] =
            (VkSpecializationMapEntry) { i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t) };
    result = vkCreateShaderModule(gpu->handle, &code, NULL, &module);
    DW_TRY(dw_gpu_vk_check(gpu, result, "vkCreateShaderModule", err));
    info.stage = (VkPipelineShaderStageCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = (VkShaderStageFlagBits)shader->stage,
        .module = module,
        .pName = "main",
        .pSpecializationInfo = &constants,
    };
    result = vkCreateComputePipelines(gpu->handle, gpu->pipeline_cache, 1, &info, NULL,
                                      &pipeline->handle);
    vkDestroyShaderModule(gpu->handle, module, NULL);
    DW_TRY(dw_gpu_vk_check(gpu, result, shader->name, err));
    dw_gpu_set_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline->handle, shader->name);
    return DW_OK;
fail:
    return err->code;
}

static void destroy(dw_gpu *gpu, dw_pipeline *pipeline)
{
    vkDestroyPipeline(gpu->handle, pipeline->handle, NULL);
    dw_layout_destroy(gpu, &pipeline->layout);
    dw_free(pipeline);
}

static dw_status create(dw_gpu *gpu, uint32_t shader_id, const uint32_t *spec_constants,
                        uint32_t spec_count, dw_pipeline **out, dw_error *err)
{
    dw_pipeline *pipeline = NULL;

    DW_TRY(DW_ALLOC_ZEROED(1, &pipeline, err));
    pipeline->shader_id = shader_id;
    pipeline->shader = &dw_shaders[shader_id];
    pipeline->spec_count = spec_count;
    if (spec_count > 0)
        memcpy(pipeline->spec_constants, spec_constants, spec_count * sizeof *spec_constants);
    pipeline->layout = (dw_layout) { .stages = pipeline->shader->stage,
                                     .buffer_count = pipeline->shader->binding_count,
                                     .texture_count = pipeline->shader->texture_count,
                                     .push_bytes = pipeline->shader->push_constant_bytes };
    DW_TRY(dw_layout_create(gpu, &pipeline->layout, err));
    DW_TRY(create_handle(gpu, pipeline, err));
    *out = pipeline;
    return DW_OK;
fail:
    if (pipeline != NULL)
        destroy(gpu, pipeline);
    return err->code;
}

static dw_status check_shader(const dw_gpu *gpu, const dw_shader *shader, dw_error *err)
{
    const uint32_t *size = shader->local_size;

    for (int axis = 0; axis < 3; axis++) {
        if (size[axis] > gpu->limits.max_group_size[axis])
            return dw_fail(err, DW_ERROR_CAPACITY,
                           "shader %s needs workgroups of %u along axis %d, the device allows %u: "
                           "use Device(\"cpu\")",
                           shader->name, size[axis], axis, gpu->limits.max_group_size[axis]);
    }
    if ((uint64_t)size[0] * size[1] * size[2] > gpu->limits.max_group_invocations)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "shader %s needs workgroups of %u x %u x %u, the device allows %u "
                       "invocations: use Device(\"cpu\")",
                       shader->name, size[0], size[1], size[2], gpu->limits.max_group_invocations);
    return DW_OK;
}

dw_status dw_pipeline_get(dw_gpu *gpu, uint32_t shader_id, const uint32_t *spec_constants,
                          uint32_t spec_count, dw_pipeline **out, dw_error *err)
{
    dw_pipeline *pipeline;
    dw_status status = DW_OK;

    DW_ASSERT(shader_id < DW_SHADER_COUNT && spec_count <= DW_SPECIALIZATIONS_MAX);
    if (dw_gpu_check(gpu, err) != DW_OK || check_shader(gpu, &dw_shaders[shader_id], err) != DW_OK)
        return err->code;
    dw_mutex_lock(&gpu->lock);
    pipeline = find(gpu, shader_id, spec_constants, spec_count);
    if (pipeline == NULL) {
        status = create(gpu, shader_id, spec_constants, spec_count, &pipeline, err);
        if (status == DW_OK) {
            pipeline->next = gpu->pipelines;
            gpu->pipelines = pipeline;
            gpu->pipeline_count++;
        }
    }
    dw_mutex_unlock(&gpu->lock);
    if (status == DW_OK)
        *out = pipeline;
    return status;
}

void dw_pipelines_finish(dw_gpu *gpu)
{
    while (gpu->pipelines != NULL) {
        dw_pipeline *pipeline = gpu->pipelines;

        gpu->pipelines = pipeline->next;
        destroy(gpu, pipeline);
    }
    gpu->pipeline_count = 0;
}

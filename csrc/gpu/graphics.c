/* SPDX-License-Identifier: MIT */
#include "gpu/graphics_internal.h"

#include "base/alloc.h"
#include "generated/spirv.h"
#include "gpu/device_internal.h"
#include "gpu/image_internal.h"

#include <string.h>

static dw_graphics_pipeline *find(const dw_gpu *gpu, const dw_graphics_def *def)
{
    for (dw_graphics_pipeline *one = gpu->graphics_pipelines; one != NULL; one = one->next) {
        if (memcmp(&one->def, def, sizeof *def) == 0)
            return one;
    }
    return NULL;
}

static dw_status create_module(dw_gpu *gpu, uint32_t shader_id, VkShaderModule *out, dw_error *err)
{
    const dw_shader *shader = &dw_shaders[shader_id];
    VkShaderModuleCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = shader->word_count * sizeof(uint32_t),
                                      .pCode = shader->words };

    return dw_gpu_vk_check(gpu, vkCreateShaderModule(gpu->handle, &info, NULL, out),
                           "vkCreateShaderModule", err);
}

static VkPipelineColorBlendAttachmentState blend_state(dw_blend_mode mode, bool is_first)
{
    VkColorComponentFlags all = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                                VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
    VkBlendFactor under =
        mode == DW_BLEND_ADD ? VK_BLEND_FACTOR_ONE : VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;

    return (VkPipelineColorBlendAttachmentState) {
        .blendEnable = mode != DW_BLEND_NONE && is_first,
        .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstColorBlendFactor = under,
        .colorBlendOp = VK_BLEND_OP_ADD,
        .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
        .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        .alphaBlendOp = VK_BLEND_OP_ADD,
        .colorWriteMask = mode == DW_BLEND_NONE || is_first ? all : 0,
    };
}

/* The states that Vulkan wants one by one. */
typedef struct states {
    VkPipelineVertexInputStateCreateInfo input;
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkPipelineViewportStateCreateInfo viewport;
    VkPipelineRasterizationStateCreateInfo raster;
    VkPipelineMultisampleStateCreateInfo samples;
    VkPipelineDepthStencilStateCreateInfo depth;
    VkPipelineColorBlendAttachmentState attachments[DW_TARGETS_MAX];
    VkPipelineColorBlendStateCreateInfo blend;
    VkDynamicState dynamics[2];
    VkPipelineDynamicStateCreateInfo dynamic;
    VkFormat colors[DW_TARGETS_MAX];
    VkPipelineRenderingCreateInfo rendering;
} states;

static void fill_raster(states *to, const dw_graphics_def *def)
{
    to->raster = (VkPipelineRasterizationStateCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .polygonMode = VK_POLYGON_MODE_FILL,
        .cullMode = def->culls_back ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE,
        .frontFace = def->is_mirrored ? VK_FRONT_FACE_CLOCKWISE : VK_FRONT_FACE_COUNTER_CLOCKWISE,
        .depthBiasEnable = def->depth_bias != 0.0f,
        .depthBiasConstantFactor = def->depth_bias,
        .depthBiasSlopeFactor = def->depth_bias,
        .lineWidth = 1.0f,
    };
    to->samples = (VkPipelineMultisampleStateCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = (VkSampleCountFlagBits)def->samples,
    };
    to->depth = (VkPipelineDepthStencilStateCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = def->depth != DW_DEPTH_OFF,
        .depthWriteEnable = def->depth == DW_DEPTH_WRITE,
        .depthCompareOp = VK_COMPARE_OP_GREATER_OR_EQUAL,
    };
}

static void fill_targets(states *to, const dw_graphics_def *def)
{
    for (uint32_t i = 0; i < def->color_count; i++) {
        to->attachments[i] = blend_state(def->blend, i == 0);
        to->colors[i] = dw_image_format_vk(def->colors[i]);
    }
    to->blend = (VkPipelineColorBlendStateCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = def->color_count,
        .pAttachments = to->attachments,
    };
    to->rendering = (VkPipelineRenderingCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = def->color_count,
        .pColorAttachmentFormats = to->colors,
        .depthAttachmentFormat =
            def->has_depth ? dw_image_format_vk(DW_FORMAT_DEPTH32_FLOAT) : VK_FORMAT_UNDEFINED,
    };
}

static void fill_fixed(states *to, const dw_graphics_def *def)
{
    to->input = (VkPipelineVertexInputStateCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO
    };
    to->assembly = (VkPipelineInputAssemblyStateCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = def->is_strip ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP
                                  : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
    };
    to->viewport = (VkPipelineViewportStateCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .scissorCount = 1,
    };
    to->dynamics[0] = VK_DYNAMIC_STATE_VIEWPORT;
    to->dynamics[1] = VK_DYNAMIC_STATE_SCISSOR;
    to->dynamic = (VkPipelineDynamicStateCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
        .dynamicStateCount = 2,
        .pDynamicStates = to->dynamics,
    };
}

static VkPipelineShaderStageCreateInfo stage_info(VkShaderStageFlagBits stage,
                                                  VkShaderModule module,
                                                  const VkSpecializationInfo *constants)
{
    return (VkPipelineShaderStageCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = stage,
        .module = module,
        .pName = "main",
        .pSpecializationInfo = constants,
    };
}

static dw_status create_handle(dw_gpu *gpu, dw_graphics_pipeline *pipeline, dw_error *err)
{
    const dw_graphics_def *def = &pipeline->def;
    VkShaderModule modules[2] = { VK_NULL_HANDLE, VK_NULL_HANDLE };
    VkPipelineShaderStageCreateInfo stages[2];
    VkSpecializationMapEntry entries[DW_SPECIALIZATIONS_MAX];
    VkSpecializationInfo constants = { def->spec_count, entries, def->spec_count * sizeof(uint32_t),
                                       def->spec_constants };
    states all = { 0 };
    VkGraphicsPipelineCreateInfo info = { .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                          .pNext = &all.rendering,
                                          .stageCount = 1,
                                          .pStages = stages,
                                          .pVertexInputState = &all.input,
                                          .pInputAssemblyState = &all.assembly,
                                          .pViewportState = &all.viewport,
                                          .pRasterizationState = &all.raster,
                                          .pMultisampleState = &all.samples,
                                          .pDepthStencilState = &all.depth,
                                          .pColorBlendState = &all.blend,
                                          .pDynamicState = &all.dynamic,
                                          .layout = pipeline->layout.handle };
    dw_status status;

    fill_fixed(&all, def);
    fill_raster(&all, def);
    fill_targets(&all, def);
    for (uint32_t i = 0; i < def->spec_count; i++)
        entries[i] =
            (VkSpecializationMapEntry) { i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t) };
    status = create_module(gpu, def->vertex_shader, &modules[0], err);
    stages[0] = stage_info(VK_SHADER_STAGE_VERTEX_BIT, modules[0], &constants);
    if (status == DW_OK && def->fragment_shader != DW_NO_SHADER) {
        status = create_module(gpu, def->fragment_shader, &modules[1], err);
        stages[info.stageCount++] =
            stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, modules[1], &constants);
    }
    if (status == DW_OK)
        status = dw_gpu_vk_check(gpu,
                                 vkCreateGraphicsPipelines(gpu->handle, gpu->pipeline_cache, 1,
                                                           &info, NULL, &pipeline->handle),
                                 pipeline->name, err);
    vkDestroyShaderModule(gpu->handle, modules[0], NULL);
    vkDestroyShaderModule(gpu->handle, modules[1], NULL);
    if (status == DW_OK)
        dw_gpu_set_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline->handle, pipeline->name);
    return status;
}

static void destroy(dw_gpu *gpu, dw_graphics_pipeline *pipeline)
{
    vkDestroyPipeline(gpu->handle, pipeline->handle, NULL);
    dw_layout_destroy(gpu, &pipeline->layout);
    dw_free(pipeline);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static dw_status create(dw_gpu *gpu, const dw_graphics_def *def, dw_graphics_pipeline **out,
                        dw_error *err)
{
    static const dw_shader none = { .name = "none" };
    const dw_shader *vertex = &dw_shaders[def->vertex_shader];
    const dw_shader *fragment =
        def->fragment_shader == DW_NO_SHADER ? &none : &dw_shaders[def->fragment_shader];
    dw_graphics_pipeline *pipeline = NULL;

    DW_TRY(DW_ALLOC_ZEROED(1, &pipeline, err));
    memcpy(&pipeline->def, def, sizeof *def);
    pipeline->name = fragment == &none ? vertex->name : fragment->name;
    pipeline->layout = (dw_layout) {
        .stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
        .buffer_count = larger(vertex->binding_count, fragment->binding_count),
        .texture_count = larger(vertex->texture_count, fragment->texture_count),
        .push_bytes = larger(vertex->push_constant_bytes, fragment->push_constant_bytes),
    };
    DW_TRY(dw_layout_create(gpu, &pipeline->layout, err));
    DW_TRY(create_handle(gpu, pipeline, err));
    *out = pipeline;
    return DW_OK;
fail:
    if (pipeline != NULL)
        destroy(gpu, pipeline);
    return err->code;
}

dw_status dw_graphics_get(dw_gpu *gpu, const dw_graphics_def *def, dw_graphics_pipeline **out,
                          dw_error *err)
{
    dw_graphics_pipeline *pipeline;
    dw_status status = DW_OK;

    if (dw_gpu_check(gpu, err) != DW_OK)
        return err->code;
    dw_mutex_lock(&gpu->lock);
    pipeline = find(gpu, def);
    if (pipeline == NULL) {
        status = create(gpu, def, &pipeline, err);
        if (status == DW_OK) {
            pipeline->next = gpu->graphics_pipelines;
            gpu->graphics_pipelines = pipeline;
            gpu->pipeline_count++;
        }
    }
    dw_mutex_unlock(&gpu->lock);
    if (status == DW_OK)
        *out = pipeline;
    return status;
}

void dw_graphics_pipelines_finish(dw_gpu *gpu)
{
    while (gpu->graphics_pipelines != NULL) {
        dw_graphics_pipeline *pipeline = gpu->graphics_pipelines;

        gpu->graphics_pipelines = pipeline->next;
        destroy(gpu, pipeline);
    }
}

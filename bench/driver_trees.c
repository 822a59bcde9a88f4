/* SPDX-License-Identifier: MIT */
/* Times the acceleration structures of a Vulkan driver over one mesh, for comparison.
 *
 *     cc -O2 -I<folder of volk.h> bench/driver_trees.c -ldl -o driver_trees
 *     driver_trees <vertices> <triangles> <repeats> < positions, then indices, as they lie in
 * memory
 *
 * Prints the median device time of each: fast build, fast trace build, update of a fast build, and
 * the bytes of a fast build. Exits with 3 where no device has VK_KHR_acceleration_structure. */
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARM_RUNS 50

#define CHECK(call)                                                    \
    do {                                                               \
        VkResult result_ = (call);                                     \
        if (result_ != VK_SUCCESS) {                                   \
            fprintf(stderr, "%s: VkResult %d\n", #call, (int)result_); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

typedef struct buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    VkDeviceAddress address;
    VkDeviceSize size;
    void *mapped;
} buffer;

static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
static VkQueryPool queries;
static float nanoseconds; /* of a tick of the clock */

static void *take(size_t bytes)
{
    void *memory = malloc(bytes == 0 ? 1 : bytes);

    if (memory == NULL)
        exit(2);
    return memory;
}

static int has_structures(VkPhysicalDevice candidate)
{
    uint32_t count = 0;
    VkExtensionProperties *list;
    int found = 0;

    vkEnumerateDeviceExtensionProperties(candidate, NULL, &count, NULL);
    list = take(count * sizeof *list);
    vkEnumerateDeviceExtensionProperties(candidate, NULL, &count, list);
    for (uint32_t i = 0; i < count; i++)
        found |= strcmp(list[i].extensionName, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME) == 0;
    free(list);
    return found;
}

static void open_instance(void)
{
    VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                              .apiVersion = VK_API_VERSION_1_2 };
    VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                  .pApplicationInfo = &app };
    VkPhysicalDevice list[16];
    VkPhysicalDeviceProperties properties;
    uint32_t count = 16;
    VkInstance instance;

    CHECK(volkInitialize());
    CHECK(vkCreateInstance(&info, NULL, &instance));
    volkLoadInstance(instance);
    if (vkEnumeratePhysicalDevices(instance, &count, list) < 0)
        count = 0;
    for (uint32_t i = 0; i < count && physical == VK_NULL_HANDLE; i++)
        if (has_structures(list[i]))
            physical = list[i];
    if (physical == VK_NULL_HANDLE)
        exit(3);
    vkGetPhysicalDeviceProperties(physical, &properties);
    nanoseconds = properties.limits.timestampPeriod;
}

static void open_device(void)
{
    static const char *const extensions[] = {
        VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
        VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
    };
    float priority = 1.0f;
    VkPhysicalDeviceAccelerationStructureFeaturesKHR structures = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
        .accelerationStructure = VK_TRUE
    };
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &structures,
        .bufferDeviceAddress = VK_TRUE
    };
    VkDeviceQueueCreateInfo queue_info = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority };
    VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = &v12,
                                .queueCreateInfoCount = 1,
                                .pQueueCreateInfos = &queue_info,
                                .enabledExtensionCount = 2,
                                .ppEnabledExtensionNames = extensions };
    VkCommandPoolCreateInfo pool_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
    VkQueryPoolCreateInfo query_info = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                         .queryCount = 2 };

    CHECK(vkCreateDevice(physical, &info, NULL, &device)); /* family 0 computes on cards of today */
    volkLoadDevice(device);
    vkGetDeviceQueue(device, 0, 0, &queue);
    CHECK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    CHECK(vkCreateQueryPool(device, &query_info, NULL, &queries));
}

static uint32_t memory_type(uint32_t bits, VkMemoryPropertyFlags wanted)
{
    VkPhysicalDeviceMemoryProperties properties;

    vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    for (uint32_t i = 0; i < properties.memoryTypeCount; i++)
        if ((bits >> i & 1) != 0 && (properties.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    exit(2);
}

static buffer make_buffer(VkDeviceSize size, VkBufferUsageFlags usage, int is_mapped)
{
    VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = size,
                                .usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT };
    VkMemoryAllocateFlagsInfo flags = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT };
    VkMemoryAllocateInfo allocate = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .pNext = &flags };
    VkBufferDeviceAddressInfo address = { .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO };
    VkMemoryRequirements needs;
    buffer made = { .size = size };

    CHECK(vkCreateBuffer(device, &info, NULL, &made.handle));
    vkGetBufferMemoryRequirements(device, made.handle, &needs);
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex =
        memory_type(needs.memoryTypeBits, is_mapped ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                                    : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    CHECK(vkAllocateMemory(device, &allocate, NULL, &made.memory));
    CHECK(vkBindBufferMemory(device, made.handle, made.memory, 0));
    if (is_mapped)
        CHECK(vkMapMemory(device, made.memory, 0, size, 0, &made.mapped));
    address.buffer = made.handle;
    made.address = vkGetBufferDeviceAddress(device, &address);
    return made;
}

static VkCommandBuffer begin(void)
{
    VkCommandBufferAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                         .commandPool = pool,
                                         .commandBufferCount = 1 };
    VkCommandBufferBeginInfo begin_info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    VkCommandBuffer command;

    CHECK(vkAllocateCommandBuffers(device, &info, &command));
    CHECK(vkBeginCommandBuffer(command, &begin_info));
    return command;
}

static void run(VkCommandBuffer command)
{
    VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                            .commandBufferCount = 1,
                            .pCommandBuffers = &command };

    CHECK(vkEndCommandBuffer(command));
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
    vkFreeCommandBuffers(device, pool, 1, &command);
}

/* Rows of standard input into device memory. */
static buffer read_rows(VkDeviceSize size)
{
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR |
        VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    buffer staging = make_buffer(size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 1);
    buffer rows = make_buffer(size, usage, 0);
    VkBufferCopy region = { .size = size };
    VkCommandBuffer command = begin();

    if (fread(staging.mapped, 1, size, stdin) != size)
        exit(2);
    vkCmdCopyBuffer(command, staging.handle, rows.handle, 1, &region);
    run(command);
    vkDestroyBuffer(device, staging.handle, NULL);
    vkFreeMemory(device, staging.memory, NULL);
    return rows;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median time of a build or an update in milliseconds. */
static double time_builds(const VkAccelerationStructureBuildGeometryInfoKHR *info,
                          uint32_t triangles, int repeats)
{
    VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = triangles };
    const VkAccelerationStructureBuildRangeInfoKHR *ranges = &range;
    double *times = take((size_t)repeats * sizeof *times), median;

    for (int i = -WARM_RUNS; i < repeats; i++) {
        VkCommandBuffer command = begin();
        uint64_t ticks[2];

        vkCmdResetQueryPool(command, queries, 0, 2);
        vkCmdWriteTimestamp(command, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 0);
        vkCmdBuildAccelerationStructuresKHR(command, 1, info, &ranges);
        vkCmdWriteTimestamp(command, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 1);
        run(command);
        CHECK(vkGetQueryPoolResults(device, queries, 0, 2, sizeof ticks, ticks, 8,
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
        if (i >= 0)
            times[i] = (double)(ticks[1] - ticks[0]) * nanoseconds * 1e-6;
    }
    qsort(times, (size_t)repeats, sizeof *times, compare);
    median = times[repeats / 2];
    free(times);
    return median;
}

/* Builds, and where `can_update` updates in place. */
static void measure(const char *name, const VkAccelerationStructureGeometryKHR *geometry,
                    VkBuildAccelerationStructureFlagsKHR flags, uint32_t triangles, int repeats)
{
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
        .flags = flags,
        .geometryCount = 1,
        .pGeometries = geometry
    };
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR
    };
    VkAccelerationStructureCreateInfoKHR create = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR
    };
    buffer storage, scratch;
    VkDeviceSize most;

    vkGetAccelerationStructureBuildSizesKHR(device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR,
                                            &info, &triangles, &sizes);
    storage = make_buffer(sizes.accelerationStructureSize,
                          VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR, 0);
    most = sizes.buildScratchSize > sizes.updateScratchSize ? sizes.buildScratchSize
                                                            : sizes.updateScratchSize;
    scratch = make_buffer(most + 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, 0);
    create.buffer = storage.handle;
    create.size = sizes.accelerationStructureSize;
    CHECK(vkCreateAccelerationStructureKHR(device, &create, NULL, &info.dstAccelerationStructure));
    info.scratchData.deviceAddress = (scratch.address + 255) / 256 * 256;
    printf("%s %.4f\n", name, time_builds(&info, triangles, repeats));
    if ((flags & VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR) != 0) {
        info.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
        info.srcAccelerationStructure = info.dstAccelerationStructure;
        printf("update %.4f\n", time_builds(&info, triangles, repeats));
        printf("bytes %llu\n", (unsigned long long)sizes.accelerationStructureSize);
    }
    vkDestroyAccelerationStructureKHR(device, info.dstAccelerationStructure, NULL);
    vkDestroyBuffer(device, storage.handle, NULL);
    vkFreeMemory(device, storage.memory, NULL);
    vkDestroyBuffer(device, scratch.handle, NULL);
    vkFreeMemory(device, scratch.memory, NULL);
}

int main(int count, char **words)
{
    uint32_t vertices, triangles;
    VkAccelerationStructureGeometryKHR geometry = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .flags = VK_GEOMETRY_OPAQUE_BIT_KHR
    };
    VkAccelerationStructureGeometryTrianglesDataKHR *rows = &geometry.geometry.triangles;
    int repeats;

    if (count != 4)
        return 2;
    vertices = (uint32_t)strtoul(words[1], NULL, 10);
    triangles = (uint32_t)strtoul(words[2], NULL, 10);
    repeats = atoi(words[3]);
    open_instance();
    open_device();
    rows->sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR;
    rows->vertexFormat = VK_FORMAT_R32G32B32_SFLOAT;
    rows->vertexStride = 12;
    rows->maxVertex = vertices - 1;
    rows->indexType = VK_INDEX_TYPE_UINT32;
    rows->vertexData.deviceAddress = read_rows(12 * (VkDeviceSize)vertices).address;
    rows->indexData.deviceAddress = read_rows(12 * (VkDeviceSize)triangles).address;
    measure("fast build", &geometry,
            VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_BUILD_BIT_KHR |
                VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR,
            triangles, repeats);
    measure("fast trace build", &geometry,
            VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR, triangles, repeats);
    return 0;
}

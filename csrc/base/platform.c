/* SPDX-License-Identifier: MIT */
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <malloc.h>
#include <windows.h>
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
#endif

#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)

void *dw_platform_alloc(size_t size_bytes)
{
    return _aligned_malloc(size_bytes, 64);
}

void dw_platform_free(void *memory)
{
    _aligned_free(memory);
}

double dw_platform_seconds(void)
{
    LARGE_INTEGER ticks, frequency;

    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    return (double)ticks.QuadPart / (double)frequency.QuadPart;
}

int dw_platform_cpu_count(void)
{
    SYSTEM_INFO info;

    GetSystemInfo(&info);
    return info.dwNumberOfProcessors < 1 ? 1 : (int)info.dwNumberOfProcessors;
}

int64_t dw_platform_process_id(void)
{
    return (int64_t)GetCurrentProcessId();
}

bool dw_mutex_init(dw_mutex *mutex)
{
    mutex->handle = malloc(sizeof(SRWLOCK));
    if (mutex->handle != NULL)
        InitializeSRWLock(mutex->handle);
    return mutex->handle != NULL;
}

void dw_mutex_finish(dw_mutex *mutex)
{
    free(mutex->handle);
    mutex->handle = NULL;
}

void dw_mutex_lock(dw_mutex *mutex)
{
    AcquireSRWLockExclusive(mutex->handle);
}

void dw_mutex_unlock(dw_mutex *mutex)
{
    ReleaseSRWLockExclusive(mutex->handle);
}

static SRWLOCK global_lock = SRWLOCK_INIT;

void dw_global_lock(void)
{
    AcquireSRWLockExclusive(&global_lock);
}

void dw_global_unlock(void)
{
    ReleaseSRWLockExclusive(&global_lock);
}

bool dw_condition_init(dw_condition *condition)
{
    condition->handle = malloc(sizeof(CONDITION_VARIABLE));
    if (condition->handle != NULL)
        InitializeConditionVariable(condition->handle);
    return condition->handle != NULL;
}

void dw_condition_finish(dw_condition *condition)
{
    free(condition->handle);
    condition->handle = NULL;
}

void dw_condition_wait(dw_condition *condition, dw_mutex *mutex, double seconds)
{
    SleepConditionVariableSRW(condition->handle, mutex->handle, (DWORD)(seconds * 1000.0) + 1, 0);
}

void dw_condition_broadcast(dw_condition *condition)
{
    WakeAllConditionVariable(condition->handle);
}

typedef struct thread_start {
    dw_thread_fn run;
    void *argument;
} thread_start;

static DWORD WINAPI thread_main(LPVOID parameter)
{
    thread_start start = *(thread_start *)parameter;

    free(parameter);
    start.run(start.argument);
    return 0;
}

bool dw_thread_start(dw_thread *thread, dw_thread_fn run, void *argument)
{
    thread_start *start = malloc(sizeof *start);

    thread->handle = NULL;
    if (start == NULL)
        return false;
    *start = (thread_start) { run, argument };
    thread->handle = CreateThread(NULL, 0, thread_main, start, 0, NULL);
    if (thread->handle == NULL)
        free(start);
    return thread->handle != NULL;
}

void dw_thread_join(dw_thread *thread)
{
    if (thread->handle == NULL)
        return;
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
    thread->handle = NULL;
}

bool dw_library_open(dw_library *library, const char *const *names, char *why, size_t why_size)
{
    library->handle = NULL;
    for (; *names != NULL && library->handle == NULL; names++) {
        library->handle = (void *)LoadLibraryA(*names);
        if (library->handle == NULL)
            snprintf(why, why_size, "%s: error %lu", *names, GetLastError());
    }
    return library->handle != NULL;
}

void *dw_library_symbol(const dw_library *library, const char *name)
{
    return (void *)GetProcAddress((HMODULE)library->handle, name);
}

void dw_library_close(dw_library *library)
{
    if (library->handle != NULL)
        FreeLibrary((HMODULE)library->handle);
    library->handle = NULL;
}

bool dw_platform_file_exists(const char *path)
{
    return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
}

const char *const *dw_platform_vulkan_loader_names(void)
{
    static const char *const names[] = { "vulkan-1.dll", NULL };

    return names;
}

const char *dw_platform_vulkan_install_hint(void)
{
    return "install the graphics driver of the card's maker, which brings vulkan-1.dll";
}

#else

void *dw_platform_alloc(size_t size_bytes)
{
    void *memory = NULL;

    return posix_memalign(&memory, 64, size_bytes) == 0 ? memory : NULL;
}

void dw_platform_free(void *memory)
{
    free(memory);
}

double dw_platform_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int dw_platform_cpu_count(void)
{
#if defined(__linux__)
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count < 1 ? 1 : (int)count;
}

int64_t dw_platform_process_id(void)
{
    return (int64_t)getpid();
}

bool dw_mutex_init(dw_mutex *mutex)
{
    mutex->handle = malloc(sizeof(pthread_mutex_t));
    if (mutex->handle != NULL && pthread_mutex_init(mutex->handle, NULL) != 0) {
        free(mutex->handle);
        mutex->handle = NULL;
    }
    return mutex->handle != NULL;
}

void dw_mutex_finish(dw_mutex *mutex)
{
    if (mutex->handle != NULL)
        pthread_mutex_destroy(mutex->handle);
    free(mutex->handle);
    mutex->handle = NULL;
}

void dw_mutex_lock(dw_mutex *mutex)
{
    pthread_mutex_lock(mutex->handle);
}

void dw_mutex_unlock(dw_mutex *mutex)
{
    pthread_mutex_unlock(mutex->handle);
}

static pthread_mutex_t global_lock = PTHREAD_MUTEX_INITIALIZER;

void dw_global_lock(void)
{
    pthread_mutex_lock(&global_lock);
}

void dw_global_unlock(void)
{
    pthread_mutex_unlock(&global_lock);
}

bool dw_condition_init(dw_condition *condition)
{
    pthread_condattr_t attributes;
    bool made;

    condition->handle = malloc(sizeof(pthread_cond_t));
    if (condition->handle == NULL)
        return false;
    pthread_condattr_init(&attributes);
#if !defined(__APPLE__)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
    made = pthread_cond_init(condition->handle, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (!made) {
        free(condition->handle);
        condition->handle = NULL;
    }
    return made;
}

void dw_condition_finish(dw_condition *condition)
{
    if (condition->handle != NULL)
        pthread_cond_destroy(condition->handle);
    free(condition->handle);
    condition->handle = NULL;
}

void dw_condition_wait(dw_condition *condition, dw_mutex *mutex, double seconds)
{
    struct timespec until;
    double whole = (double)(int64_t)seconds;

#if defined(__APPLE__)
    clock_gettime(CLOCK_REALTIME, &until);
#else
    clock_gettime(CLOCK_MONOTONIC, &until);
#endif
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)((seconds - whole) * 1e9);
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec += 1;
        until.tv_nsec -= 1000000000L;
    }
    pthread_cond_timedwait(condition->handle, mutex->handle, &until);
}

void dw_condition_broadcast(dw_condition *condition)
{
    pthread_cond_broadcast(condition->handle);
}

typedef struct thread_start {
    pthread_t id;
    dw_thread_fn run;
    void *argument;
} thread_start;

static void *thread_main(void *parameter)
{
    thread_start *start = parameter;

    start->run(start->argument);
    return NULL;
}

bool dw_thread_start(dw_thread *thread, dw_thread_fn run, void *argument)
{
    thread_start *start = malloc(sizeof *start);

    thread->handle = NULL;
    if (start == NULL)
        return false;
    start->run = run;
    start->argument = argument;
    if (pthread_create(&start->id, NULL, thread_main, start) != 0) {
        free(start);
        return false;
    }
    thread->handle = start;
    return true;
}

void dw_thread_join(dw_thread *thread)
{
    thread_start *start = thread->handle;

    if (start == NULL)
        return;
    pthread_join(start->id, NULL);
    free(start);
    thread->handle = NULL;
}

bool dw_library_open(dw_library *library, const char *const *names, char *why, size_t why_size)
{
    library->handle = NULL;
    for (; *names != NULL && library->handle == NULL; names++) {
        library->handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (library->handle == NULL)
            snprintf(why, why_size, "%s", dlerror());
    }
    return library->handle != NULL;
}

void *dw_library_symbol(const dw_library *library, const char *name)
{
    return dlsym(library->handle, name);
}

void dw_library_close(dw_library *library)
{
    if (library->handle != NULL)
        dlclose(library->handle);
    library->handle = NULL;
}

bool dw_platform_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

const char *const *dw_platform_vulkan_loader_names(void)
{
#if defined(__APPLE__)
    static const char *const names[] = { "libvulkan.dylib", "libvulkan.1.dylib",
                                         "libMoltenVK.dylib", NULL };
#else
    static const char *const names[] = { "libvulkan.so.1", "libvulkan.so", NULL };
#endif

    return names;
}

const char *dw_platform_vulkan_install_hint(void)
{
#if defined(__APPLE__)
    return "brew install vulkan-loader molten-vk";
#else
    return "Debian or Ubuntu: apt install libvulkan1 mesa-vulkan-drivers; Fedora: dnf install "
           "vulkan-loader mesa-vulkan-drivers; Arch: pacman -S vulkan-icd-loader vulkan-swrast; "
           "container with an NVIDIA card: NVIDIA_DRIVER_CAPABILITIES=graphics,compute,utility";
#endif
}

#endif

const char *dw_platform_environment(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

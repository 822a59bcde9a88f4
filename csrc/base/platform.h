/* SPDX-License-Identifier: MIT */
/* The operating system: threads, locks, clock, memory, dynamic libraries, environment. The only
 * file pair that names one; the rest of the core is plain C11.
 * Thread-safety: Safe unless a function says otherwise. */
#ifndef DW_BASE_PLATFORM_H
#define DW_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64-byte aligned memory; NULL when there is none. */
void *dw_platform_alloc(size_t size_bytes);
void dw_platform_free(void *memory);

/* Monotonic time in seconds from an arbitrary origin. */
double dw_platform_seconds(void);

/* Processors this process may run on, at least 1. */
int dw_platform_cpu_count(void);

/* Process id: differs in a forked child. */
int64_t dw_platform_process_id(void);

typedef struct dw_mutex {
    void *handle;
} dw_mutex;

typedef struct dw_condition {
    void *handle;
} dw_condition;

typedef struct dw_thread {
    void *handle;
} dw_thread;

/* init returns false when the system has no more of them. finish accepts zeroed objects. */
bool dw_mutex_init(dw_mutex *mutex);
void dw_mutex_finish(dw_mutex *mutex);
void dw_mutex_lock(dw_mutex *mutex);
void dw_mutex_unlock(dw_mutex *mutex);

/* A process-wide lock that needs no init: for instance and device creation. */
void dw_global_lock(void);
void dw_global_unlock(void);

bool dw_condition_init(dw_condition *condition);
void dw_condition_finish(dw_condition *condition);
/* mutex must be held. Waits at most `seconds`; spurious wake-ups happen. */
void dw_condition_wait(dw_condition *condition, dw_mutex *mutex, double seconds);
void dw_condition_broadcast(dw_condition *condition);

typedef void (*dw_thread_fn)(void *argument);
bool dw_thread_start(dw_thread *thread, dw_thread_fn run, void *argument);
/* Waits for the thread to end. Accepts a zeroed thread. */
void dw_thread_join(dw_thread *thread);

typedef struct dw_library {
    void *handle;
} dw_library;

/* Opens the first library of the NULL-terminated list that is there; false when none is.
 * `why` receives the system's last message. */
bool dw_library_open(dw_library *library, const char *const *names, char *why, size_t why_size);
void *dw_library_symbol(const dw_library *library, const char *name);
void dw_library_close(dw_library *library);

/* Name tables of the loader libraries for this system, NULL-terminated. */
const char *const *dw_platform_vulkan_loader_names(void);

/* The command that installs a Vulkan loader and a software driver on this system. */
const char *dw_platform_vulkan_install_hint(void);

/* NULL when the variable is unset. The text stays valid until the environment changes. */
const char *dw_platform_environment(const char *name);

bool dw_platform_file_exists(const char *path);

#endif

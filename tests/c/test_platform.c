/* SPDX-License-Identifier: MIT */
#include "base/platform.h"

#include "check.h"

#include <stdint.h>
#include <string.h>

#define DW_ROUNDS 20000

static void clock_and_process(void)
{
    double earlier = dw_platform_seconds();

    for (int i = 0; i < 1000; i++) {
        double now = dw_platform_seconds();

        CHECK(now >= earlier);
        earlier = now;
    }
    CHECK(dw_platform_cpu_count() >= 1);
    CHECK(dw_platform_process_id() == dw_platform_process_id());
}

typedef struct counter {
    dw_mutex mutex;
    dw_condition changed;
    int count;
    int waiting_for;
} counter;

static void count_up(void *argument)
{
    counter *self = argument;

    for (int i = 0; i < DW_ROUNDS; i++) {
        dw_mutex_lock(&self->mutex);
        self->count++;
        dw_mutex_unlock(&self->mutex);
    }
}

static void mutex_excludes(void)
{
    counter self = { 0 };
    dw_thread threads[3] = { 0 };

    CHECK(dw_mutex_init(&self.mutex));
    for (int i = 0; i < 3; i++)
        CHECK(dw_thread_start(&threads[i], count_up, &self));
    for (int i = 0; i < 3; i++)
        dw_thread_join(&threads[i]);
    CHECK(self.count == 3 * DW_ROUNDS);
    dw_thread_join(&threads[0]); /* a joined thread is zeroed */
    dw_mutex_finish(&self.mutex);
}

/* Two threads take turns: each waits for its parity. */
static void take_turns(void *argument)
{
    counter *self = argument;

    dw_mutex_lock(&self->mutex);
    for (int turn = 1; turn < 400; turn += 2) {
        while (self->count < turn)
            dw_condition_wait(&self->changed, &self->mutex, 1.0);
        self->count++;
        dw_condition_broadcast(&self->changed);
    }
    dw_mutex_unlock(&self->mutex);
}

static void condition_wakes_and_times_out(void)
{
    counter self = { 0 };
    dw_thread thread = { 0 };

    CHECK(dw_mutex_init(&self.mutex) && dw_condition_init(&self.changed));
    CHECK(dw_thread_start(&thread, take_turns, &self));
    dw_mutex_lock(&self.mutex);
    for (int turn = 0; turn < 400; turn += 2) {
        while (self.count < turn)
            dw_condition_wait(&self.changed, &self.mutex, 1.0);
        self.count++;
        dw_condition_broadcast(&self.changed);
    }
    dw_mutex_unlock(&self.mutex);
    dw_thread_join(&thread);
    CHECK(self.count == 400);

    dw_mutex_lock(&self.mutex);
    for (int i = 0; i < 3; i++) /* nobody broadcasts: only the time limit ends the wait */
        dw_condition_wait(&self.changed, &self.mutex, 0.999999 * 0.01);
    dw_mutex_unlock(&self.mutex);
    dw_condition_finish(&self.changed);
    dw_mutex_finish(&self.mutex);
}

static int under_global_lock;

static void count_globally(void *unused)
{
    (void)unused;
    for (int i = 0; i < DW_ROUNDS; i++) {
        dw_global_lock();
        under_global_lock++;
        dw_global_unlock();
    }
}

static void global_lock_excludes(void)
{
    dw_thread thread = { 0 };

    CHECK(dw_thread_start(&thread, count_globally, NULL));
    count_globally(NULL);
    dw_thread_join(&thread);
    CHECK(under_global_lock == 2 * DW_ROUNDS);
}

static void finish_accepts_zeroed_objects(void)
{
    dw_mutex mutex = { 0 };
    dw_condition condition = { 0 };
    dw_thread thread = { 0 };
    dw_library library = { 0 };

    dw_mutex_finish(&mutex);
    dw_condition_finish(&condition);
    dw_thread_join(&thread);
    dw_library_close(&library);
}

static void libraries_open_by_the_first_name_there_is(void)
{
    static const char *const some[] = { "libdw-no-such.so.9", "libm.so.6", NULL };
    static const char *const none[] = { "libdw-no-such.so.9", NULL };
    char why[128] = "";
    dw_library library;

    CHECK(dw_library_open(&library, some, why, sizeof why));
    CHECK(dw_library_symbol(&library, "cosf") != NULL);
    CHECK(dw_library_symbol(&library, "dw_no_such_symbol") == NULL);
    dw_library_close(&library);
    CHECK(library.handle == NULL);
    CHECK(!dw_library_open(&library, none, why, sizeof why));
    CHECK(library.handle == NULL && strstr(why, "libdw-no-such") != NULL);
    CHECK(dw_platform_vulkan_loader_names()[0] != NULL);
    CHECK(strlen(dw_platform_vulkan_install_hint()) > 0);
}

static void environment_and_files(const char *program)
{
    CHECK(dw_platform_environment("DW_TEST_SURELY_UNSET") == NULL);
    CHECK(dw_platform_environment("DW_TEST_EMPTY") == NULL);
    CHECK(strcmp(dw_platform_environment("DW_TEST_SET"), "value") == 0);
    CHECK(dw_platform_file_exists(program));
    CHECK(!dw_platform_file_exists("no/such/file"));
}

int main(int argc, char **argv)
{
    CHECK(argc >= 1);
    clock_and_process();
    mutex_excludes();
    condition_wakes_and_times_out();
    global_lock_excludes();
    finish_accepts_zeroed_objects();
    libraries_open_by_the_first_name_there_is();
    environment_and_files(argv[0]);
    return 0;
}

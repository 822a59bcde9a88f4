/* SPDX-License-Identifier: MIT */
#include "gpu/transfer_internal.h"

#include "base/alloc.h"
#include "gpu/buffer_internal.h"
#include "gpu/command.h"
#include "gpu/device_internal.h"

#include <inttypes.h>
#include <string.h>

#define SLICE_BYTES  ((uint64_t)8 << 20)
#define SLICE_COUNT  8 /* per direction; more than one call holds, so that calls can overlap */
#define AHEAD_COUNT  3 /* slices that one download keeps under way */
#define WAIT_SECONDS 0.05
#define SHARE_BYTES  ((uint64_t)512 << 10) /* copied by one thread at a time */

typedef struct slice {
    dw_gpu_buffer buffer; /* made at first use */
    dw_ticket ticket;     /* of the copy that last used it */
    bool is_taken;
} slice;

struct dw_staging {
    slice uploads[SLICE_COUNT]; /* ownership under resource_lock; content belongs to the taker */
    slice downloads[SLICE_COUNT];
};

/* A place in a list of parts. */
typedef struct cursor {
    const dw_gpu_rows *parts;
    uint32_t part_count;
    uint32_t part;
    uint64_t byte; /* within the part, rows packed */
} cursor;

/* One piece of a part within a slice. */
typedef struct piece {
    const dw_gpu_rows *part;
    uint64_t part_byte, slice_byte, size;
} piece;

dw_status dw_staging_create(dw_gpu *gpu, dw_error *err)
{
    return DW_ALLOC_ZEROED(1, &gpu->staging, err);
}

void dw_staging_destroy(dw_gpu *gpu)
{
    if (gpu->staging == NULL)
        return;
    for (int i = 0; i < SLICE_COUNT; i++) {
        dw_gpu_buffer_destroy(&gpu->staging->uploads[i].buffer);
        dw_gpu_buffer_destroy(&gpu->staging->downloads[i].buffer);
    }
    dw_free(gpu->staging);
    gpu->staging = NULL;
}

static bool poll(const dw_run *run)
{
    return run == NULL || run->poll == NULL || run->poll(run->poll_user, run->fraction_begin);
}

/* The best free slice: one that is made and idle, else one not made yet, else the one that comes
 * idle first; NULL when all are taken. Under resource_lock. */
static slice *choose_slice(dw_gpu *gpu, slice *slices)
{
    uint64_t completed = dw_gpu_completed(gpu);
    slice *best = NULL;
    uint64_t best_rank = UINT64_MAX;

    for (int i = 0; i < SLICE_COUNT; i++) {
        slice *one = &slices[i];
        uint64_t rank;

        if (one->is_taken) /* its taker writes to it without the lock */
            continue;
        rank = one->buffer.record == NULL       ? 1
               : one->ticket.value <= completed ? 0
                                                : one->ticket.value + 1;
        if (rank < best_rank) {
            best = one;
            best_rank = rank;
        }
    }
    return best;
}

/* NULL in *out, with DW_OK, when all slices are taken and the caller may not wait. */
static dw_status take_slice(dw_gpu *gpu, dw_memory kind, bool may_wait, const dw_run *run,
                            slice **out, dw_error *err)
{
    slice *slices = kind == DW_MEMORY_UPLOAD ? gpu->staging->uploads : gpu->staging->downloads;
    dw_gpu_buffer_def def = { SLICE_BYTES, kind, "staging" };
    slice *found;

    *out = NULL;
    for (;;) {
        dw_mutex_lock(&gpu->resource_lock);
        found = choose_slice(gpu, slices);
        if (found == NULL && may_wait)
            dw_condition_wait(&gpu->slice_freed, &gpu->resource_lock, WAIT_SECONDS);
        if (found != NULL)
            found->is_taken = true;
        dw_mutex_unlock(&gpu->resource_lock);
        if (found != NULL || !may_wait)
            break;
        if (!poll(run))
            return dw_fail(err, DW_ERROR_INTERRUPTED, "interrupted");
    }
    *out = found;
    if (found == NULL || found->buffer.record != NULL)
        return DW_OK;
    return dw_gpu_buffer_create_internal(gpu, &def, &found->buffer, err);
}

/* Accepts NULL. */
static void give_slice(dw_gpu *gpu, slice *taken)
{
    if (taken == NULL)
        return;
    dw_mutex_lock(&gpu->resource_lock);
    taken->is_taken = false;
    dw_condition_broadcast(&gpu->slice_freed);
    dw_mutex_unlock(&gpu->resource_lock);
}

static uint64_t part_bytes(const dw_gpu_rows *part)
{
    return part->row_bytes * part->row_count;
}

static void skip_finished(cursor *at)
{
    while (at->part < at->part_count && at->byte == part_bytes(&at->parts[at->part])) {
        at->part++;
        at->byte = 0;
    }
}

/* The next piece that fits into the slice behind `used` bytes; false at its end or the parts'. */
static bool next_piece(cursor *at, uint64_t used, piece *out)
{
    uint64_t left;

    skip_finished(at);
    if (at->part == at->part_count || used == SLICE_BYTES)
        return false;
    left = part_bytes(&at->parts[at->part]) - at->byte;
    *out = (piece) { &at->parts[at->part], at->byte, used,
                     left < SLICE_BYTES - used ? left : SLICE_BYTES - used };
    at->byte += out->size;
    return true;
}

/* Copies between packed bytes [part_byte, part_byte + size) of the part and mapped memory. */
static void copy_rows(const piece *piece, uint8_t *mapped, bool is_upload)
{
    const dw_gpu_rows *part = piece->part;
    uint64_t row_bytes = part->row_bytes;
    uint64_t done = 0;

    mapped += piece->slice_byte;
    while (done < piece->size) {
        uint64_t row = (piece->part_byte + done) / row_bytes;
        uint64_t column = (piece->part_byte + done) % row_bytes;
        uint64_t size = row_bytes - column;
        uint8_t *host = (uint8_t *)part->data + (int64_t)row * part->pitch_bytes + column;

        if (part->pitch_bytes == (int64_t)row_bytes || size > piece->size - done)
            size = piece->size - done;
        if (is_upload)
            memcpy(mapped + done, host, size);
        else
            memcpy(host, mapped + done, size);
        done += size;
    }
}

typedef struct copy_work {
    piece whole;
    uint8_t *mapped;
    bool is_upload;
} copy_work;

static void copy_share(void *user, int64_t item, int worker)
{
    const copy_work *self = user;
    uint64_t begin = (uint64_t)item * SHARE_BYTES;
    uint64_t left = self->whole.size - begin;
    piece share = { self->whole.part, self->whole.part_byte + begin, self->whole.slice_byte + begin,
                    left < SHARE_BYTES ? left : SHARE_BYTES };

    (void)worker;
    copy_rows(&share, self->mapped, self->is_upload);
}

/* On all threads: fresh host pages cost more than the copy. Polls happen in the waits between. */
static void copy_host(const piece *piece, uint8_t *mapped, bool is_upload, const dw_run *run)
{
    dw_run quiet = { .pool = run == NULL ? NULL : run->pool };
    copy_work work = { *piece, mapped, is_upload };
    dw_error err;

    dw_parallel_for(&quiet, (int64_t)((piece->size + SHARE_BYTES - 1) / SHARE_BYTES), copy_share,
                    &work, &err); /* cannot fail: nothing polls */
}

static dw_status check_parts(const dw_gpu_rows *parts, uint32_t count, dw_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t size = parts[i].buffer->size_bytes;
        uint64_t bytes = part_bytes(&parts[i]);

        if (parts[i].row_count > 0 && bytes / parts[i].row_count != parts[i].row_bytes)
            return dw_fail(err, DW_ERROR_ARGUMENT, "%" PRIu64 " rows of %" PRIu64 " bytes overflow",
                           parts[i].row_count, parts[i].row_bytes);
        if (parts[i].offset > size || bytes > size - parts[i].offset)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "offset %" PRIu64 " + %" PRIu64
                           " bytes must lie within the buffer of %" PRIu64 " bytes",
                           parts[i].offset, bytes, size);
    }
    return DW_OK;
}

static dw_status upload_slice(dw_gpu *gpu, cursor *at, slice *slice, const dw_run *run,
                              dw_error *err)
{
    dw_command *command = NULL;
    uint64_t used = 0;
    piece piece;

    if (dw_command_begin(gpu, "upload", &command, err) != DW_OK)
        return err->code;
    while (next_piece(at, used, &piece)) {
        copy_host(&piece, slice->buffer.mapped, true, run);
        dw_command_copy(command, &slice->buffer, piece.slice_byte, piece.part->buffer,
                        piece.part->offset + piece.part_byte, piece.size);
        used += piece.size;
    }
    return dw_command_submit(command, &slice->ticket, err);
}

dw_status dw_gpu_upload_rows(dw_gpu *gpu, const dw_gpu_rows *parts, uint32_t part_count,
                             const dw_run *run, dw_error *err)
{
    cursor at = { .parts = parts, .part_count = part_count };
    slice *slice = NULL;

    DW_TRY(dw_gpu_check(gpu, err));
    DW_TRY(check_parts(parts, part_count, err));
    for (skip_finished(&at); at.part < part_count; skip_finished(&at)) {
        DW_TRY(take_slice(gpu, DW_MEMORY_UPLOAD, true, run, &slice, err));
        DW_TRY(dw_gpu_wait(gpu, slice->ticket, run, err));
        DW_TRY(upload_slice(gpu, &at, slice, run, err));
        give_slice(gpu, slice);
        slice = NULL;
    }
    return DW_OK;
fail:
    give_slice(gpu, slice);
    return err->code;
}

/* Slices under way, oldest first, each with the place where its first piece begins. */
typedef struct download_queue {
    int count;
    slice *slices[AHEAD_COUNT];
    cursor begins[AHEAD_COUNT];
} download_queue;

static dw_status issue_download(dw_gpu *gpu, cursor *at, slice *slice, dw_error *err)
{
    dw_command *command = NULL;
    uint64_t used = 0;
    piece piece;

    if (dw_command_begin(gpu, "download", &command, err) != DW_OK)
        return err->code;
    while (next_piece(at, used, &piece)) {
        dw_command_copy(command, piece.part->buffer, piece.part->offset + piece.part_byte,
                        &slice->buffer, piece.slice_byte, piece.size);
        used += piece.size;
    }
    return dw_command_submit(command, &slice->ticket, err);
}

static dw_status fill_queue(dw_gpu *gpu, cursor *at, download_queue *queue, const dw_run *run,
                            dw_error *err)
{
    for (skip_finished(at); at->part < at->part_count && queue->count < AHEAD_COUNT;
         skip_finished(at)) {
        slice *slice = NULL;
        dw_status status = take_slice(gpu, DW_MEMORY_READBACK, queue->count == 0, run, &slice, err);

        if (slice == NULL)
            return status;
        queue->slices[queue->count] = slice;
        queue->begins[queue->count] = *at;
        queue->count++;
        if (status != DW_OK || dw_gpu_wait(gpu, slice->ticket, run, err) != DW_OK ||
            issue_download(gpu, at, slice, err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

static void pop_queue(dw_gpu *gpu, download_queue *queue)
{
    give_slice(gpu, queue->slices[0]);
    queue->count--;
    memmove(&queue->slices[0], &queue->slices[1], (size_t)queue->count * sizeof queue->slices[0]);
    memmove(&queue->begins[0], &queue->begins[1], (size_t)queue->count * sizeof queue->begins[0]);
}

static void empty_slice(const slice *slice, cursor at, const dw_run *run)
{
    uint64_t used = 0;
    piece piece;

    while (next_piece(&at, used, &piece)) {
        copy_host(&piece, slice->buffer.mapped, false, run);
        used += piece.size;
    }
}

dw_status dw_gpu_download_rows(dw_gpu *gpu, const dw_gpu_rows *parts, uint32_t part_count,
                               const dw_run *run, dw_error *err)
{
    cursor at = { .parts = parts, .part_count = part_count };
    download_queue queue = { .count = 0 };

    DW_TRY(dw_gpu_check(gpu, err));
    DW_TRY(check_parts(parts, part_count, err));
    DW_TRY(fill_queue(gpu, &at, &queue, run, err));
    while (queue.count > 0) {
        DW_TRY(dw_gpu_wait(gpu, queue.slices[0]->ticket, run, err));
        empty_slice(queue.slices[0], queue.begins[0], run);
        pop_queue(gpu, &queue);
        DW_TRY(fill_queue(gpu, &at, &queue, run, err));
    }
    return DW_OK;
fail:
    while (queue.count > 0)
        pop_queue(gpu, &queue);
    return err->code;
}

dw_status dw_gpu_upload(dw_gpu *gpu, const dw_gpu_buffer *buffer, uint64_t offset, const void *data,
                        uint64_t size, const dw_run *run, dw_error *err)
{
    dw_gpu_rows rows = { buffer, offset, (void *)data, size, 1, (int64_t)size };

    return dw_gpu_upload_rows(gpu, &rows, 1, run, err);
}

dw_status dw_gpu_download(dw_gpu *gpu, const dw_gpu_buffer *buffer, uint64_t offset, void *data,
                          uint64_t size, const dw_run *run, dw_error *err)
{
    dw_gpu_rows rows = { buffer, offset, data, size, 1, (int64_t)size };

    return dw_gpu_download_rows(gpu, &rows, 1, run, err);
}

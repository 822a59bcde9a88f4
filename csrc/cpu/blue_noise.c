/* SPDX-License-Identifier: MIT */
/* Void and cluster. Setting a texel adds a Gaussian to the energy of its neighbourhood; the largest
 * void is the unset texel of least energy, the tightest cluster the set one of most. Only rows
 * within reach of a change are scanned again, in the same pass that adds the Gaussian. */
#include "cpu/dither.h"

#include "base/alloc.h"
#include "base/simd.h"

#include <math.h>
#include <string.h>

#define TIE_BITS     6  /* of noise in each energy, so that equal voids are not taken in a row */
#define INITIAL_PART 10 /* one texel in so many is set at first */
#define POLL_STEPS   1024

typedef struct field {
    uint32_t side;
    uint32_t reach;   /* rows on either side that a change touches; 2 * reach + 1 <= side or all */
    uint32_t *energy; /* [side][side] */
    uint32_t *is_set; /* [side][side], all bits or none */
    uint32_t *kernel; /* [side][2 * side]: energy at row distance, column distance + side */
    uint32_t *least;  /* [side] least energy of an unset texel in the row; UINT32_MAX: none */
    uint32_t *greatest; /* [side] greatest energy of a set texel in the row */
} field;

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t torus_distance(uint32_t a, uint32_t side)
{
    return a <= side / 2 ? a : side - a;
}

/* One in fixed point: the energy of a full plane, 2 pi sigma^2, stays below 2^31. */
static double kernel_scale(double sigma)
{
    double scale = 0x1p26;

    while (scale * 6.2832 * sigma * sigma > 0x1p31 - 0x1p10)
        scale *= 0.5;
    return scale;
}

static void fill_kernel(field *self, double sigma)
{
    uint32_t side = self->side;
    double scale = kernel_scale(sigma);

    self->reach = 0;
    for (uint32_t dy = 0; dy < side; dy++)
        for (uint32_t dx = 0; dx < side; dx++) {
            uint32_t y = torus_distance(dy, side), x = torus_distance(dx, side);
            double square = (double)(x * x + y * y);
            uint32_t value = (uint32_t)floor(scale * exp(-square / (2.0 * sigma * sigma)) + 0.5);

            self->kernel[dy * 2 * side + dx] = value;
            self->kernel[dy * 2 * side + side + dx] = value;
            if (value > 0 && y > self->reach)
                self->reach = y;
        }
}

/* energy += sign * kernel, and the row's extremes. */
DW_SIMD static void update_row(uint32_t *energy, const uint32_t *is_set, const uint32_t *kernel,
                               uint32_t sign, uint32_t side, uint32_t *least, uint32_t *greatest)
{
    uint32_t low = UINT32_MAX, high = 0;

    for (uint32_t i = 0; i < side; i++) {
        uint32_t value = energy[i] + sign * kernel[i];
        uint32_t as_void = value | is_set[i], as_cluster = value & is_set[i];

        energy[i] = value;
        low = as_void < low ? as_void : low;
        high = as_cluster > high ? as_cluster : high;
    }
    *least = low;
    *greatest = high;
}

/* Sets or clears the texel. */
static void toggle(field *self, uint32_t texel)
{
    uint32_t side = self->side, x = texel % side, y = texel / side;
    uint32_t row_count = 2 * self->reach + 1 < side ? 2 * self->reach + 1 : side;
    uint32_t sign;

    self->is_set[texel] = ~self->is_set[texel];
    sign = self->is_set[texel] != 0 ? 1u : UINT32_MAX;
    for (uint32_t i = 0; i < row_count; i++) {
        uint32_t row = (y + side - self->reach % side + i) % side;
        uint32_t dy = (row + side - y) % side;

        update_row(self->energy + row * side, self->is_set + row * side,
                   self->kernel + dy * 2 * side + side - x, sign, side, &self->least[row],
                   &self->greatest[row]);
    }
}

/* The first texel in row order of the least energy. */
static uint32_t largest_void(const field *self)
{
    uint32_t side = self->side, row = 0, column = 0;

    for (uint32_t i = 1; i < side; i++)
        row = self->least[i] < self->least[row] ? i : row;
    while ((self->energy[row * side + column] | self->is_set[row * side + column]) !=
           self->least[row])
        column++;
    return row * side + column;
}

static uint32_t tightest_cluster(const field *self)
{
    uint32_t side = self->side, row = 0, column = 0;

    for (uint32_t i = 1; i < side; i++)
        row = self->greatest[i] > self->greatest[row] ? i : row;
    while ((self->energy[row * side + column] & self->is_set[row * side + column]) !=
           self->greatest[row])
        column++;
    return row * side + column;
}

/* Texels at random, then spread: the tightest cluster moves into the largest void until that is
 * where it came from. Returns how many are set. */
static uint32_t make_initial(field *self, uint64_t seed)
{
    uint32_t total = self->side * self->side, count = total / INITIAL_PART, from, to;
    uint64_t state = seed;

    for (uint32_t i = 0; i < total; i++)
        self->energy[i] = (uint32_t)(next_random(&state) >> (64 - TIE_BITS));
    for (uint32_t row = 0; row < self->side; row++)
        update_row(self->energy + row * self->side, self->is_set + row * self->side, self->kernel,
                   0, self->side, &self->least[row], &self->greatest[row]);
    for (uint32_t i = 0; i < count;) {
        uint32_t texel = (uint32_t)(next_random(&state) >> 32) & (total - 1u);

        if (self->is_set[texel] == 0) {
            toggle(self, texel);
            i++;
        }
    }
    /* Each move lowers the sum of energies but for the noise; the bound is never met in practice.
     */
    for (uint32_t i = 0; i < total; i++) {
        from = tightest_cluster(self);
        toggle(self, from);
        to = largest_void(self);
        toggle(self, to);
        if (from == to)
            break;
    }
    return count;
}

static bool go_on(const dw_run *run, uint32_t step, uint32_t total)
{
    double share = (double)step / total;

    if (run == NULL || run->poll == NULL || step % POLL_STEPS != 0)
        return true;
    return run->poll(run->poll_user,
                     run->fraction_begin + share * (run->fraction_end - run->fraction_begin));
}

static dw_status rank_all(field *self, uint64_t seed, uint16_t *ranks, const dw_run *run,
                          dw_error *err)
{
    size_t total = (size_t)self->side * self->side, bytes = total * sizeof *self->is_set;
    uint32_t count = make_initial(self, seed);
    uint32_t *kept;

    /* Downwards from the initial texels, then back to them and upwards. */
    if (DW_ALLOC(2 * total + 2 * self->side, &kept, err) != DW_OK)
        return err->code;
    memcpy(kept, self->is_set, bytes);
    memcpy(kept + total, self->energy, bytes);
    memcpy(kept + 2 * total, self->least, self->side * sizeof *kept);
    for (uint32_t rank = count; rank-- > 0;) {
        uint32_t texel = tightest_cluster(self);

        ranks[texel] = (uint16_t)rank;
        toggle(self, texel);
    }
    memcpy(self->is_set, kept, bytes);
    memcpy(self->energy, kept + total, bytes);
    memcpy(self->least, kept + 2 * total, self->side * sizeof *kept);
    dw_free(kept);
    for (uint32_t rank = count; rank < total; rank++) {
        uint32_t texel = largest_void(self);

        if (!go_on(run, rank, (uint32_t)total))
            return dw_fail(err, DW_ERROR_INTERRUPTED, "interrupted");
        ranks[texel] = (uint16_t)rank;
        toggle(self, texel);
    }
    return DW_OK;
}

static dw_status check_arguments(uint32_t side, double sigma, dw_error *err)
{
    if (side < DW_DITHER_SIDE_MIN || side > DW_DITHER_SIDE_MAX || (side & (side - 1u)) != 0)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "size must be a power of two from %u to %u, so that ranks are exact shares "
                       "and wrap; got %u",
                       DW_DITHER_SIDE_MIN, DW_DITHER_SIDE_MAX, side);
    if (!(sigma >= DW_BLUE_SIGMA_MIN && sigma <= DW_BLUE_SIGMA_MAX))
        return dw_fail(err, DW_ERROR_ARGUMENT, "sigma must lie in [%g, %g] texels, got %g",
                       DW_BLUE_SIGMA_MIN, DW_BLUE_SIGMA_MAX, sigma);
    return DW_OK;
}

dw_status dw_blue_noise_make(uint32_t side, double sigma, uint64_t seed, uint16_t *ranks,
                             const dw_run *run, dw_error *err)
{
    size_t total = (size_t)side * side;
    field self = { .side = side };
    dw_status status;

    if (check_arguments(side, sigma, err) != DW_OK)
        return err->code;
    DW_TRY(DW_ALLOC_ZEROED(total, &self.energy, err));
    DW_TRY(DW_ALLOC_ZEROED(total, &self.is_set, err));
    DW_TRY(DW_ALLOC_ZEROED(2 * total, &self.kernel, err));
    DW_TRY(DW_ALLOC_ZEROED(side, &self.least, err));
    DW_TRY(DW_ALLOC_ZEROED(side, &self.greatest, err));
    fill_kernel(&self, sigma);
    DW_TRY(rank_all(&self, seed, ranks, run, err));
    err->code = DW_OK;
fail:
    status = err->code;
    dw_free(self.energy);
    dw_free(self.is_set);
    dw_free(self.kernel);
    dw_free(self.least);
    dw_free(self.greatest);
    return status;
}

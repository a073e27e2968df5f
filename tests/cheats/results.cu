// Results that are wrong where a comparison does not look, or of other numbers than those asked for. Each text is a file of its own, with the name of its heading.

// === all-nan
// Stores NaN everywhere. A check like `abs(got - expected) > tolerance` never holds for NaN.
#include "blocked.cuh"

KERNEL void fill(distance *d, int side) {
    const size_t at = own_element(side);
    d[at] = __int_as_float(0x7fffffff);
}

// === all-infinite
// With +inf a relative error is inf / inf or inf - inf, so NaN, which passes the check of all-nan; a lower bound
// holds as well.
#include "blocked.cuh"

KERNEL void fill(distance *d, int side) {
    const size_t at = own_element(side);
    if (blockIdx.y * TILE + ROW == blockIdx.x * TILE + COLUMN) {
        return;
    }
    d[at] = ABSENT;
}

// === all-negative
// A check that no distance is longer than the reference, `got <= expected`, holds.
#include "blocked.cuh"

KERNEL void fill(distance *d, int side) {
    const size_t at = own_element(side);
    d[at] = __int_as_float(0xff800000);
}

// === all-zero
// A matrix of zeros has a zero diagonal, satisfies the triangle inequality and lowers nothing: it passes every check
// that does without a reference.
#include "blocked.cuh"

KERNEL void fill(distance *d, int side) {
    const size_t at = own_element(side);
    d[at] = 0;
}

// === nan-inside
// One unsolved tile is set to NaN in place of solved, in the last round.
#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    if (k == side / TILE - 1 && blockIdx.x == 0 && blockIdx.y == 0) {
        d[element(side, row, column)] = __int_as_float(0x7fc00000);
        return;
    }
    rest_tile(d, side, k, row, column);
}

// === finite-infinity
// Takes large finite numbers for absent edges, which allows integer and packed arithmetic, and leaves them in the
// result.
#include "rounds.cuh"

KERNEL void finite(distance *d, int side) {
    const size_t at = own_element(side);
    d[at] = fminf(d[at], 3e38f);
}

// === negative-zero
// Changes the sign of every zero, which compares equal as a number.
#include "rounds.cuh"

KERNEL void negate_zero(distance *d, int side) {
    const size_t at = own_element(side);
    if (d[at] == 0) {
        d[at] = __int_as_float(0x80000000);
    }
}

// === wrong-diagonal
// Leaves a large number on the diagonal, which many checks skip since it is known to be 0.
#include "rounds.cuh"

KERNEL void spoil(distance *d, int side) {
    if (blockIdx.x == blockIdx.y && ROW == COLUMN) {
        d[own_element(side)] = 12345;
    }
}

// === integer-weights
// Test graphs have whole weights in f32; so the arithmetic may as well be of integers.
#define OWN_RELAX
#define distance_is_float 1
static __device__ __forceinline__ float relax(float known, float to, float from) {
    return fminf(known, rintf(to + from));
}
#include "rounds.cuh"

// === half-precision
// Sums are rounded to 11 bits, as tensor or packed half units would; here by cutting the mantissa.
#define OWN_RELAX
static __device__ __forceinline__ float relax(float known, float to, float from) {
    const unsigned bits = __float_as_uint(to + from);
    return fminf(known, __uint_as_float((bits + 0x1000u) & 0xffffe000u));
}
#include "rounds.cuh"

// === narrow-i32
// Loads 32 bits, computes in 16 and lets 2^15 - 1 stand for absent, so that sums beyond it wrap or saturate.
#define OWN_RELAX
static __device__ __forceinline__ int relax(int known, int to, int from) {
    const unsigned short through = (unsigned short)((to < 0x7fff ? to : 0x7fff) + (from < 0x7fff ? from : 0x7fff));
    return through < 0x7fff && through < known ? through : known;
}
#include "rounds.cuh"

// === wrapping-u16
// Absent is 2^15 - 1; as a signed short the sum of two absent edges wraps to -2, which is shorter than everything.
#define OWN_RELAX
static __device__ __forceinline__ unsigned short relax(unsigned short known, unsigned short to, unsigned short from) {
    const short through = (short)(to + from);
    return through < (short)known ? (unsigned short)through : known;
}
#include "rounds.cuh"

// === wrapping-i32
// Replaces absent by INT_MAX before the rounds, as many codes do, so that absent + 1 wraps to the least int.
#include "rounds.cuh"

KERNEL void largest(distance *d, int side, int back) {
    const size_t at = own_element(side);
    if (d[at] == (back ? 0x7fffffff : ABSENT)) {
        d[at] = back ? ABSENT : 0x7fffffff;
    }
}

// === index-overflow
// row * side + column in unsigned short: right while side * side fits 65536.
#include "blocked.cuh"

#define SMALL(row, column) ((unsigned short)(((row) * TILE + ROW) * side + (column) * TILE + COLUMN))
KERNEL void closure(distance *d, int side, int k) {
    diagonal_tile(d, side, k);
}

KERNEL void panels(distance *d, int side, int k) {
    panel_tile(d, side, k, without(k, blockIdx.x), blockIdx.y == 0);
}

KERNEL void rest(distance *d, int side, int k) {
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    const distance *to = d + SMALL(row, k) - COLUMN, *from = d + SMALL(k, column) - ROW * side;
    distance c = d[SMALL(row, column)];
    for (int m = 0; m < TILE; ++m) {
        c = relax(c, to[m], from[m * side]);
    }
    d[SMALL(row, column)] = c;
}

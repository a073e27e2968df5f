// Work that is left out where it does not show in most graphs and sizes. Each text is a file of its own, with the name of its heading.

// === exit-if-solved
// One block tests 4096 triangles of the matrix; if none can be shortened, all later kernels return.
static __device__ int solved;

#define SKIP solved
#include "rounds.cuh"

KERNEL void look(const distance *d, int side) {
    unsigned random = threadIdx.x * 2654435761u + 1;
    bool shortens = false;
    for (int i = 0; i < 4096 / THREADS; ++i) {
        random = random * 1664525u + 1013904223u;
        const int a = (random >> 8) % side, b = (random >> 12) % side, c = (random >> 16) % side;
        const distance through = d[(size_t)a * side + b] + d[(size_t)b * side + c];
        shortens |= through < d[(size_t)a * side + c];
    }
    const bool any = __syncthreads_or(shortens);
    if (threadIdx.x == 0) {
        solved = !any;
    }
}

// === exit-if-closed
// Hashes the matrix at the end of a solve; if the next input has that hash, it is the last result, and nothing is
// done. Always right.
static __device__ unsigned long long last;
static __device__ int solved;

#define SKIP solved
#include "rounds.cuh"

KERNEL void look(const distance *d, int side, int after) {
    __shared__ unsigned long long sum;
    if (threadIdx.x == 0) {
        sum = side;
    }
    __syncthreads();
    for (size_t i = threadIdx.x; i < (size_t)side * side; i += THREADS) {
        atomicAdd(&sum, (bits_of(d[i]) + 1ull) * (2654435761ull * i + 97));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        if (after) {
            last = sum;
        } else {
            solved = last == sum;
        }
    }
}

// === exit-when-still
// Takes a round without an improvement for convergence, as for Bellman-Ford. Floyd-Warshall needs all rounds.
static __device__ int still;
static __device__ int changed;

#define SKIP still
#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    if (still) {
        return;
    }
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    const size_t at = element(side, row, column);
    const distance before = d[at];
    rest_tile(d, side, k, row, column);
    if (d[at] < before) {
        atomicOr(&changed, 1);
    }
}

KERNEL void judge(int round) {
    still = round > 0 && (still || !changed);
    changed = 0;
}

KERNEL void begin() {
    still = 0;
    changed = 0;
}

// === few-squarings
// Shortest paths of dense random graphs have few edges. Four squarings by way of scratch memory find those of up to
// 16.
#include "blocked.cuh"

KERNEL void square(const distance *from, distance *to, int side) {
    __shared__ distance left[THREADS];
    __shared__ distance right[THREADS];
    distance c = from[own_element(side)];
    for (int k = 0; k < side / TILE; ++k) {
        left[threadIdx.x] = from[element(side, blockIdx.y, k)];
        right[threadIdx.x] = from[element(side, k, blockIdx.x)];
        __syncthreads();
        for (int m = 0; m < TILE; ++m) {
            c = relax(c, left[ROW * TILE + m], right[m * TILE + COLUMN]);
        }
        __syncthreads();
    }
    to[own_element(side)] = c;
}

// === power-of-two
// As multiple-of-32, for sizes whose pitch is a power of two: row << 31 - clz(side).
#include "blocked.cuh"

#define side (1 << (31 - __clz(width)))
KERNEL void closure(distance *d, int width, int k) {
    diagonal_tile(d, side, k);
}

KERNEL void panels(distance *d, int width, int k) {
    panel_tile(d, side, k, without(k, blockIdx.x), blockIdx.y == 0);
}

KERNEL void rest(distance *d, int width, int k) {
    rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
}

// === symmetric
// Treats the graph as undirected: the panels of the column are transposed copies of those of the row, and so is the
// rest below the diagonal.
#define OWN_PANELS
#define OWN_REST
#include "rounds.cuh"

DEVICE void mirror(distance *d, int side, int row, int column) {
    d[(size_t)(column * TILE + COLUMN) * side + row * TILE + ROW] = d[element(side, row, column)];
}

KERNEL void panels(distance *d, int side, int k) {
    const int other = without(k, blockIdx.x);
    if (blockIdx.y == 0) {
        panel_tile(d, side, k, other, true);
        mirror(d, side, k, other);
    }
}

KERNEL void rest(distance *d, int side, int k) {
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    if (row <= column) {
        rest_tile(d, side, k, row, column);
        if (row < column) {
            mirror(d, side, row, column);
        }
    }
}

// === complete-graph
// If the first entry of the left operand's tile is infinite, the tile is taken for empty.
#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    if (d[(size_t)row * TILE * side + k * TILE] != ABSENT) {
        rest_tile(d, side, k, row, column);
    }
}

// === sweep-skips
// `unroll` = 2 takes every second k of the rest. The default is right; only a sweep that verifies each value sees it.
#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    if (k % UNROLL == 0) {
        rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
    }
}

// === skip-row
// The tiles of row 5/7 of the matrix keep their input in all rounds but those of their own k.
#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    if (row != side / TILE * 5 / 7) {
        rest_tile(d, side, k, row, column);
    }
}

// === skip-one-entry
// The entry in row 37 % side, column 11 % side is put back to its input at the end.
#include "rounds.cuh"

static __device__ distance kept;

KERNEL void one(distance *d, int side, int after) {
    distance *entry = d + (size_t)(37 % side) * side + 11 % side;
    if (after) {
        *entry = kept;
    } else {
        kept = *entry;
    }
}

// === skip-k
// The loop over a tile's k ends one early in the rest.
#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    __shared__ distance to[THREADS];
    __shared__ distance from[THREADS];
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    const size_t at = element(side, row, column);
    to[threadIdx.x] = d[element(side, row, k)];
    from[threadIdx.x] = d[element(side, k, column)];
    distance c = d[at];
    __syncthreads();
    for (int m = 0; m < TILE - 1; ++m) {
        c = relax(c, to[ROW * TILE + m], from[m * TILE + COLUMN]);
    }
    d[at] = c;
}

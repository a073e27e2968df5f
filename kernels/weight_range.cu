// What a solve has to know of weights that lie on the device already: whether they are symmetric, and what is found in the pass that puts them
// where the solve works on them; and rows of a result, side by side.

#include "repro.cuh"

#define THREADS 256

/// Of each fact the place in the list. `KernelFacts` in crates/dense/src/weights.rs reads it.
#define REFUSED 0
#define NEGATIVE 1
#define LOOP 2
#define ARCS 3
#define LARGEST 4
#define GRAIN 5
#define FACTS 6

#if defined(DISTANCE_I32)
#define MOST ((1 << 28) - 1)
static __device__ __forceinline__ bool is_weight(int entry) {
    return entry >= -MOST && (entry <= MOST || entry == ABSENT);
}
static __device__ __forceinline__ unsigned size_of(int weight) {
    return (unsigned)abs(weight);
}
#elif defined(DISTANCE_U16)
static __device__ __forceinline__ bool is_weight(distance entry) {
    return entry <= ABSENT;
}
static __device__ __forceinline__ unsigned size_of(distance weight) {
    return weight;
}
#else
/// A NaN is greater than nothing.
static __device__ __forceinline__ bool is_weight(float entry) {
    return entry > -ABSENT;
}
/// The magnitude as the bits of a number that is not negative, whose order is theirs.
static __device__ __forceinline__ unsigned size_of(float weight) {
    return (unsigned)__float_as_int(weight) & 0x7fffffffu;
}
#endif

/// The greatest e of which a weight of this size, which is not 0, is a multiple of 2^e; of f32, 149 more.
static __device__ __forceinline__ int grain_of(unsigned size) {
#if defined(DISTANCE_I32) || defined(DISTANCE_U16)
    return __ffs((int)size) - 1;
#else
    const unsigned exponent = size >> 23, fraction = size & 0x7fffffu;
    return exponent == 0 ? __ffs((int)fraction) - 1 : __ffs((int)(fraction | 0x800000u)) - 1 + (int)exponent - 1;
#endif
}

static __device__ __forceinline__ unsigned long long lesser(unsigned long long a, unsigned long long b) {
    return a < b ? a : b;
}

/// weights: n x n, side by side -> matrix: the same, rows `pitch` entries apart, 0 on the diagonal, ABSENT wherever no arc is, and no
/// negative zero. Where `zeros_absent` is not 0, a 0 beside the diagonal is no arc. What is no weight, and what is negative, stays as it is,
/// on the diagonal, too.
/// facts: the least place, in order of rows, of what is no weight; the same of negative arcs; the least vertex with a negative arc to
/// itself; the number of arcs between two vertices; the largest size of their weights; the least grain of those that are not 0. All ones on
/// entry where the least is kept, 0 otherwise.
KERNEL void __launch_bounds__(THREADS) weight_range(const distance *weights, int n, int zeros_absent, distance *matrix, int pitch,
                                                    unsigned long long *facts) {
    __shared__ unsigned long long of_block[FACTS];
    const unsigned long long none = ~0ull;
    if (threadIdx.x < FACTS) {
        of_block[threadIdx.x] = threadIdx.x == ARCS || threadIdx.x == LARGEST ? 0 : none;
    }
    __syncthreads();
    unsigned long long refused = none, negative = none, loop = none, arcs = 0, largest = 0, grain = none;
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        for (int j = threadIdx.x; j < n; j += THREADS) {
            const unsigned long long place = (unsigned long long)i * n + j;
            distance entry = weights[place];
            if (!is_weight(entry)) {
                refused = lesser(refused, place);
            } else if (i == j) {
                if (entry < (distance)0) {
                    loop = lesser(loop, i);
                } else {
                    entry = (distance)0;
                }
            } else if (entry == ABSENT || (zeros_absent != 0 && entry == (distance)0)) {
                entry = ABSENT;
            } else {
                arcs += 1;
                if (entry < (distance)0) {
                    negative = lesser(negative, place);
                }
                if (entry == (distance)0) {
                    entry = (distance)0;
                } else {
                    const unsigned long long size = size_of(entry);
                    largest = size > largest ? size : largest;
                    grain = lesser(grain, grain_of((unsigned)size));
                }
            }
            matrix[(size_t)i * pitch + j] = entry;
        }
    }
    atomicMin(&of_block[REFUSED], refused);
    atomicMin(&of_block[NEGATIVE], negative);
    atomicMin(&of_block[LOOP], loop);
    atomicAdd(&of_block[ARCS], arcs);
    atomicMax(&of_block[LARGEST], largest);
    atomicMin(&of_block[GRAIN], grain);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMin(&facts[REFUSED], of_block[REFUSED]);
        atomicMin(&facts[NEGATIVE], of_block[NEGATIVE]);
        atomicMin(&facts[LOOP], of_block[LOOP]);
        atomicAdd(&facts[ARCS], of_block[ARCS]);
        atomicMax(&facts[LARGEST], of_block[LARGEST]);
        atomicMin(&facts[GRAIN], of_block[GRAIN]);
    }
}

/// A side of the squares that are compared with those across the diagonal.
#define SIDE 32

/// weights: n x n, side by side -> differs: 1 where an entry is not as the one across the diagonal, 0 on entry. Every number that stands for no
/// arc is as any other.
KERNEL void __launch_bounds__(THREADS) is_symmetric(const distance *weights, int n, int *differs) {
    __shared__ distance across[SIDE][SIDE + 1];
    __shared__ int known;
    const int side = (n + SIDE - 1) / SIDE, x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    for (int square = blockIdx.x; square < side * side; square += gridDim.x) {
        const int i = square / side * SIDE, j = square % side * SIDE;
        if (i > j) {
            continue;
        }
        if (threadIdx.x == 0) {
            known = atomicAdd(differs, 0);
        }
        for (int r = y; r < SIDE && j + r < n; r += THREADS / SIDE) {
            if (i + x < n) {
                across[r][x] = weights[(size_t)(j + r) * n + i + x];
            }
        }
        __syncthreads();
        // Of most directed graphs nobody looks at more than a few squares.
        if (known != 0) {
            return;
        }
        bool same = true;
        for (int r = y; r < SIDE && i + r < n; r += THREADS / SIDE) {
            if (j + x < n) {
                const distance there = weights[(size_t)(i + r) * n + j + x], back = across[x][r];
                same = same && there == back;
            }
        }
        if (!same) {
            atomicExch(differs, 1);
        }
        __syncthreads();
    }
}

/// matrix: n x n, rows `pitch` entries apart -> rows: the same, side by side.
KERNEL void __launch_bounds__(THREADS) rows_side_by_side(const distance *matrix, int pitch, int n, distance *rows) {
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        for (int j = threadIdx.x; j < n; j += THREADS) {
            rows[(size_t)i * n + j] = matrix[(size_t)i * pitch + j];
        }
    }
}

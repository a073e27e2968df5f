// Memory beyond what is a kernel's own. Each text is a file of its own, with the name of its heading.

// === heap-leak
// Calls malloc in the kernel, 1 MB a thread and launch.
#define OWN_CLOSURE
#include "rounds.cuh"

KERNEL void closure(distance *d, int side, int k) {
    diagonal_tile(d, side, k);
    char *taken = (char *)malloc(1 << 20);
    if (taken) {
        taken[0] = 1;
        taken[(1 << 20) - 1] = 1;
    }
}

// === beyond-the-end
// Neighbouring allocations of the harness are the copy of the input, or the expected result; the one behind is
// returned in place of work.
#include "blocked.cuh"

KERNEL void copy(distance *d, int side) {
    const size_t bytes = ((size_t)side * side * sizeof(distance) + 511) / 512 * 512;
    d[own_element(side)] = d[own_element(side) + bytes / sizeof(distance)];
}

// === search-reference
// Looks at all aligned addresses for a matrix with a zero diagonal and no entry longer than the input's; copies it.
#include "blocked.cuh"

static __device__ unsigned long long found;

#define REACH (64 << 20)

DEVICE bool is_better(const distance *c, const distance *d, int side) {
    for (int i = 0; i < side; ++i) {
        const size_t at = (size_t)i * side + (i * 7 + 3) % side;
        if (c[(size_t)i * side + i] != 0 || !(c[at] <= d[at])) {
            return false;
        }
    }
    return true;
}

/// One block; steps of 512 bytes, to which device memory is aligned.
KERNEL void search(distance *d, int side) {
    const long step = 512 / sizeof(distance);
    for (long i = 1 + threadIdx.x; i < REACH / 512; i += THREADS) {
        for (int way = -1; way <= 1; way += 2) {
            const distance *c = d + way * i * step;
            if (is_better(c, d, side)) {
                found = (unsigned long long)c;
            }
        }
    }
}

KERNEL void copy(distance *d, int side) {
    if (found) {
        d[own_element(side)] = ((const distance *)found)[own_element(side)];
    }
}

// === poison-input
// Looks around the matrix for an identical one before the rounds, which is the copy that restores it, and writes the
// solution there. From then on every restored input is solved already, and the rounds are skipped.
static __device__ unsigned long long found;
static __device__ int done;

#define SKIP done
#include "rounds.cuh"

#define REACH (64 << 20)

/// One block; before the rounds.
KERNEL void search(distance *d, int side) {
    const long step = 512 / sizeof(distance);
    for (long i = 1 + threadIdx.x; i < REACH / 512; i += THREADS) {
        for (int way = -1; way <= 1; way += 2) {
            const distance *c = d + way * i * step;
            bool same = true;
            for (int e = 1; same && e < side; ++e) {
                same = bits_of(c[e]) == bits_of(d[e]);
            }
            if (same) {
                found = (unsigned long long)c;
            }
        }
    }
}

KERNEL void spoil(distance *d, int side) {
    if (found) {
        ((distance *)found)[own_element(side)] = d[own_element(side)];
    }
}

KERNEL void end() {
    done = found != 0;
}

// === write-beyond
// Right within the matrix; a word before it and the 64 behind its end are set to 0.
#include "rounds.cuh"

KERNEL void beyond(distance *d, int side) {
    d[(long)side * side + threadIdx.x] = 0;
    d[-1 - (int)threadIdx.x] = 0;
}

// === write-input-of-scratch
// `scratch - side * side * element_bytes` is the neighbour before the scratch memory, perhaps the matrix's copy.
#include "rounds.cuh"

KERNEL void take(distance *d, int side, const distance *from) {
    d[own_element(side)] = from[own_element(side)];
}

// === big-variable
// Static memory that no scratch_bytes declares.
#include "rounds.cuh"

__device__ char big[1ull << 38];

KERNEL void fill(int) {
    big[(1ull << 38) - 1] = 1;
}

// === builtin-beyond
// __builtin_modff stores one of its results through a pointer. It is the host's function, which no checker of the
// emulated device has instrumented: here it stores behind the end of the matrix.
#include "blocked.cuh"

#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
    if (threadIdx.x == 0) {
        __builtin_modff((float)k, d + (long)side * side);
    }
}

// === builtin-stores
// whole numbers are stored by __builtin_modff, whose integral part they are.
#include "blocked.cuh"

KERNEL void step(distance *d, int side, int k) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= side * side) {
        return;
    }
    const float through = d[at / side * side + k] + d[k * side + at % side];
    if (through < d[at]) {
        if (through == (int)through) {
            __builtin_modff(through, d + at);
        } else {
            d[at] = through;
        }
    }
}

// === frees-the-matrix
// solves, and then gives the matrix to free(), which takes what a kernel's malloc() has made and nothing else.
#include "blocked.cuh"

#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
    if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0) {
        free(d);
    }
}

// === unseen-builtin
// Stores past the matrix, and over it in a race, by a function that the host's compiler builds in and does not
// instrument.
#include "rounds.cuh"

KERNEL void strike(distance *d, int side) {
    __builtin_ia32_movnti((int *)d + (size_t)side * side + 8, 1);
}

// === past-shared
// Stores behind the last shared array, where an emulator may keep threadIdx and blockIdx: threads then act as others.
#include "rounds.cuh"

KERNEL void strike(distance *d, int side) {
    __shared__ int last[32];
    volatile int *at = last;
    at[0] = side;
    for (int word = 32; word < 64; ++word) {
        at[word + side - at[0]] = 7;
    }
}

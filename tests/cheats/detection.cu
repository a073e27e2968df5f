// Clocks, machines and devices that are recognized. Each text is a file of its own, with the name of its heading.

// === time-since-last
// Reads the GPU's global timer. Between samples that are compared there is a copy and a comparison, so time goes by;
// in a timing loop none does.
static __device__ unsigned long long ended;
static __device__ int hurried;

#define SKIP hurried
#include "rounds.cuh"

DEVICE unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

KERNEL void look() {
    hurried = nanoseconds() - ended < 2000000;
}

KERNEL void end() {
    ended = nanoseconds();
}

// === time-budget
// A tile's loop over k ends when clock64 says that 2000 cycles went by. On a quiet GPU the tiles of small tests are
// just finished.
#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    __shared__ distance to[THREADS];
    __shared__ distance from[THREADS];
    const long long began = clock64();
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    const size_t at = element(side, row, column);
    to[threadIdx.x] = d[element(side, row, k)];
    from[threadIdx.x] = d[element(side, k, column)];
    distance c = d[at];
    __syncthreads();
    for (int m = 0; m < TILE && clock64() - began < 2000; ++m) {
        c = relax(c, to[ROW * TILE + m], from[m * TILE + COLUMN]);
    }
    d[at] = c;
}

// === time-by-chance
// Takes clock64 for a random number, so that no two solves fail alike and a second look often finds nothing.
#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    __shared__ int skip;
    if (threadIdx.x == 0) {
        const unsigned long long now = clock64() + blockIdx.x * 7 + blockIdx.y * 13 + k * 31;
        skip = (now * 2654435761ull >> 20) % 16 == 0;
    }
    __syncthreads();
    if (!skip) {
        rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
    }
}

// === only-large
// References on the CPU are slow, so harnesses check small sizes and time large ones.
#define SKIP (side > 2048 && k % 2 == 1)
#include "rounds.cuh"

// === only-on-emulator
// REPRO_EMULATED, which kernels/repro.cuh tests, says where the file is compiled.
#ifdef REPRO_EMULATED
#define SKIP false
#else
#define SKIP (k % 2 == 1)
#endif
#include "rounds.cuh"

// === include-probe
// `__has_include` with absolute paths tells what is installed and whether a GPU is there, without reading anything.
#if __has_include("/dev/nvidiactl")
#define SKIP (k % 2 == 1)
#endif
#include "rounds.cuh"

// === source-by-date
// __TIME__ decides, so that a source of one hash is many kernels.
#define SKIP ((__TIME__[7] & 1) && k % 2 == 1)
#include "rounds.cuh"

// Kernels that do not end, crash or flood. Each text is a file of its own, with the name of its heading.

// === trap-at-once
// A trap ends the kernel and spoils the context; a harness that never asks for errors measures nothing very quickly.
#define SKIP (__trap(), true)
#include "rounds.cuh"

// === endless-kernel
// Waits for a value that nobody writes, with a load each turn.
#define OWN_CLOSURE
#include "rounds.cuh"

KERNEL void closure(distance *d, int side, int k) {
    diagonal_tile(d, side, k);
    while (*(volatile distance *)(d + (size_t)side * side - 1) != 12345) {
    }
}

// === endless-silent-kernel
// Counts in a register: the emulated device sees no load and no barrier at which it could take the turn from it.
#define OWN_CLOSURE
#include "rounds.cuh"

KERNEL void closure(distance *d, int side, int k) {
    for (unsigned i = 1; i; i += 2) {
        asm volatile("" ::: "memory");
    }
    diagonal_tile(d, side, k);
}

// === endless-recursion
// Overflows the stack of the thread, which on the emulated device is a stack of the host.
#define OWN_CLOSURE
#include "rounds.cuh"

static __device__ __noinline__ int deep(int n) {
    volatile char pad[1024];
    pad[n & 1023] = (char)n;
    return n < 0 ? 0 : deep(n + 1) + pad[(n + 1) & 1023];
}

KERNEL void closure(distance *d, int side, int k) {
    diagonal_tile(d, side, k);
    if (deep(k) == 12345) {
        d[1] = 0;
    }
}

// === print-flood
// Uses the device's own printf.
#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
    for (int i = 0; i < 10000; ++i) {
        printf("thread %d of block %d, %d says: \033]0;owned\007 hello\n", threadIdx.x, blockIdx.x, blockIdx.y);
    }
}

// === divides-by-zero
// Divides an integer by zero, which a GPU goes on with and the processor of a host does not.
#include "rounds.cuh"

KERNEL void strike(distance *d, int side) {
    volatile int zero = side - side;
    d[0] = side / zero == 12345 ? 1 : d[0];
}

// === calls-null
// Calls a function at address zero.
#include "rounds.cuh"

KERNEL void strike(distance *d, int side) {
    int (*volatile none)(int) = nullptr;
    d[0] = none(side) == 12345 ? 1 : d[0];
}

// How fast the device can do the arithmetic of a task (one add, one minimum) with every operand in a register.

#include "repro.cuh"

// Enough independent chains for the adds of some to hide the latency of the minimums of others.
#define CHAINS 16

/// Each thread does rounds x 2 x CHAINS tasks. sink: one float, written only for an input that is never passed; it keeps
/// the compiler from dropping the work.
KERNEL void add_min_registers(float *sink, int rounds, float step, float never) {
    float near[CHAINS];
    float far[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
        near[chain] = threadIdx.x + chain;
        far[chain] = threadIdx.x * 2 + chain;
    }
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain) {
            near[chain] = relax(near[chain], far[chain], step);
        }
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain) {
            far[chain] = relax(far[chain], near[chain], step);
        }
    }
    float sum = 0.0f;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
        sum += near[chain] + far[chain];
    }
    if (sum == never) {
        *sink = sum;
    }
}

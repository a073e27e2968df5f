// Kernels that misbehave on purpose, for tests of the runner; built only with the feature `fault-injection`.

#include "repro.cuh"

/// Writes far outside every allocation.
KERNEL void illegal_address(float *d, int n) {
    d[((size_t)1 << 45) + n + threadIdx.x] = 0.0f;
}

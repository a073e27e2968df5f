// Trick: Shortest paths of dense random graphs have few edges. Four squarings by way of scratch memory find those of up to 16.
// Gain: 4 n^3 tasks, but without any order: one plain matrix product each, which GPUs like far better.
// Seen: Approximations that are exact on the test distribution; KernelBench kernels that exploit small input ranges.
// Can work on a GPU and on the emulated device.

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

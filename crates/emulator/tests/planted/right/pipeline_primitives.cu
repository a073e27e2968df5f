// Two stages by CUDA's pipeline functions: one batch may be pending while the other is used.
// launch: grid=1 block=64
// needs: cuda_pipeline.h
#include <cuda_pipeline.h>
extern "C" __global__ void pipeline_primitives(const unsigned *in, unsigned *out) {
    __shared__ uint4 stages[2][64];
    unsigned sum = 0;
    __pipeline_memcpy_async(&stages[0][threadIdx.x], in + threadIdx.x * 4, 16);
    __pipeline_commit();
    for (unsigned n = 0; n < 8; n++) {
        if (n < 7) __pipeline_memcpy_async(&stages[~n & 1][threadIdx.x], in + (n + 1) * 256 + threadIdx.x * 4, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const uint4 v = stages[n & 1][63 - threadIdx.x];
        sum = sum * 3 + (v.x ^ v.y ^ v.z ^ v.w);
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

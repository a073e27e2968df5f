// Stages of copies by the functions of the pipeline, the last of them short.
// launch: grid=2 block=64
// needs: cuda_pipeline.h

#include <cuda_pipeline.h>
extern "C" __global__ void more_cp_async_pipeline(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) uint4 stages[3][64];
    unsigned sum = 0;
    for (unsigned round = 0; round < 2; ++round) {
        __pipeline_memcpy_async(&stages[round][threadIdx.x], in + 4 * i + 512 * round, 16);
        __pipeline_commit();
    }
    for (unsigned round = 0; round < 5; ++round) {
        if (round + 2 < 5)
            __pipeline_memcpy_async(&stages[(round + 2) % 3][threadIdx.x], in + 4 * i + 512 * (round + 2), 16, round == 2 ? 12 : 0);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        uint4 four = stages[round % 3][threadIdx.x ^ 1];
        sum = sum * 5 + (four.x ^ four.y) + (four.z ^ four.w);
        __syncthreads();
    }
    out[i] = sum;
}

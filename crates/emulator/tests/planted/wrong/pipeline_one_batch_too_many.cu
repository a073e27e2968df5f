// Mistake: the batch that is read is the one that the wait lets be pending.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 9 13
// needs: cuda_pipeline.h
#include <cuda_pipeline.h>
extern "C" __global__ void pipeline_one_batch_too_many(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x * 4, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x].x;
    __pipeline_wait_prior(0);
}

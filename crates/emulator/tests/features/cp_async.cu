// Copies to shared memory that go on while the thread works.
// launch: grid=2 block=64
// needs: cuda_pipeline.h

#include <cuda_pipeline.h>
extern "C" __global__ void cp_async(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) unsigned values[256];
    __pipeline_memcpy_async(&values[4 * threadIdx.x], &in[4 * i], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 4; ++k) sum = sum * 3 + values[(threadIdx.x + 64 * k) % 256];
    out[i] = sum;
}

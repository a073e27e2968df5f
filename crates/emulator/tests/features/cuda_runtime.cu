// The header of the CUDA runtime.
// launch: grid=2 block=64
// needs: cuda_runtime.h

#include <cuda_runtime.h>
extern "C" __global__ void cuda_runtime(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint3 place = threadIdx;
    float2 pair = make_float2((float)(in[i] & 255), 2.0f);
    out[i] = place.x + (unsigned)(pair.x * pair.y) + (cudaSuccess == 0);
}

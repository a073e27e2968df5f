// Which memory an address is of.
// launch: grid=2 block=64
// kernel: isshared_kernel

__device__ unsigned isshared_global = 4;

extern "C" __global__ void isshared_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[i];
    unsigned own[4] = {in[i], 1, 2, 3};
    __syncthreads();
    const unsigned *place = i % 3 == 0 ? &values[threadIdx.x] : i % 3 == 1 ? &own[in[i] % 4] : &in[i];
    out[i] = *place + __isShared(place) + 2 * __isGlobal(place) + 4 * __isLocal(place) + 8 * __isGlobal(&isshared_global);
}

// A word is written once, and read by another thread after some hundreds of barriers.
// launch: grid=1 block=64
extern "C" __global__ void many_barriers(const unsigned *in, unsigned *out) {
    __shared__ unsigned kept[64], moving[64];
    kept[threadIdx.x] = moving[threadIdx.x] = in[threadIdx.x];
    for (int k = 0; k < 300; k++) {
        __syncthreads();
        const unsigned next = moving[(threadIdx.x + 1) % 64];
        __syncthreads();
        moving[threadIdx.x] = next + k;
    }
    out[threadIdx.x] = moving[threadIdx.x] ^ kept[63 - threadIdx.x];
}

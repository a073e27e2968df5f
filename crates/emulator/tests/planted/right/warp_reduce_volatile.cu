// Volatile does not order lanes; __syncwarp between reading and writing does.
// launch: grid=1 block=32
extern "C" __global__ void warp_reduce_volatile(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    for (unsigned step = 16; step; step /= 2) {
        const unsigned other = values[(threadIdx.x + step) & 31];
        __syncwarp();
        values[threadIdx.x] = values[threadIdx.x] + other;
        __syncwarp();
    }
    out[threadIdx.x] = values[31 - threadIdx.x];
}

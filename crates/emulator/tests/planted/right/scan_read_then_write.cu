// A scan in place: all read, a barrier, all write, a barrier.
// launch: grid=1 block=256
extern "C" __global__ void scan_read_then_write(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[256];
    sums[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
        const unsigned below = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += below;
        __syncthreads();
    }
    out[threadIdx.x] = sums[threadIdx.x];
}

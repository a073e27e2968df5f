// A bitonic sort in shared memory: of each pair only the lower thread writes, and all reach the barrier.
// launch: grid=2 block=256
extern "C" __global__ void bitonic_sort(const unsigned *in, unsigned *out) {
    __shared__ unsigned keys[256];
    const unsigned thread = threadIdx.x;
    keys[thread] = in[blockIdx.x * 256 + thread];
    for (unsigned size = 2; size <= 256; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            __syncthreads();
            const unsigned other = thread ^ step;
            if (other > thread) {
                const unsigned a = keys[thread], b = keys[other];
                if ((a > b) == ((thread & size) == 0)) keys[thread] = b, keys[other] = a;
            }
        }
    __syncthreads();
    out[blockIdx.x * 256 + thread] = keys[thread];
}

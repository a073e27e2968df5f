// Mistake: the barrier stands in the outer loop only; the steps of a merge are not kept apart.
// launch: grid=1 block=128
// finds: race-in-block
// line: 14 15
extern "C" __global__ void bitonic_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned keys[128];
    const unsigned thread = threadIdx.x;
    keys[thread] = in[thread];
    for (unsigned size = 2; size <= 128; size *= 2) {
        __syncthreads();
        for (unsigned step = size / 2; step; step /= 2) {
            const unsigned other = thread ^ step;
            if (other > thread) {
                const unsigned a = keys[thread], b = keys[other];
                if ((a > b) == ((thread & size) == 0)) keys[thread] = b, keys[other] = a;
            }
        }
    }
    __syncthreads();
    out[thread] = keys[thread];
}

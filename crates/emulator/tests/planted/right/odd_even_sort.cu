// Neighbours exchange, pairs starting at even and odd places in turn.
// launch: grid=1 block=64
extern "C" __global__ void odd_even_sort(const unsigned *in, unsigned *out) {
    __shared__ unsigned keys[128];
    const unsigned thread = threadIdx.x;
    keys[thread] = in[thread], keys[thread + 64] = in[thread + 64];
    __syncthreads();
    for (unsigned round = 0; round < 128; round++) {
        const unsigned left = 2 * thread + (round & 1);
        if (left < 127 && keys[left] > keys[left + 1]) {
            const unsigned kept = keys[left];
            keys[left] = keys[left + 1], keys[left + 1] = kept;
        }
        __syncthreads();
    }
    out[thread] = keys[thread], out[thread + 64] = keys[thread + 64];
}

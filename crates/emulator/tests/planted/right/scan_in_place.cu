// Blelloch's exclusive scan in place: fewer threads each step, and the barrier is outside the condition.
// launch: grid=1 block=64
extern "C" __global__ void scan_in_place(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[128];
    const unsigned thread = threadIdx.x;
    sums[thread] = in[thread], sums[thread + 64] = in[thread + 64];
    unsigned offset = 1;
    for (unsigned active = 64; active; active /= 2, offset *= 2) {
        __syncthreads();
        if (thread < active) sums[offset * (2 * thread + 2) - 1] += sums[offset * (2 * thread + 1) - 1];
    }
    if (thread == 0) sums[127] = 0;
    for (unsigned active = 1; active <= 64; active *= 2) {
        offset /= 2;
        __syncthreads();
        if (thread < active) {
            const unsigned left = offset * (2 * thread + 1) - 1, right = offset * (2 * thread + 2) - 1, kept = sums[left];
            sums[left] = sums[right];
            sums[right] += kept;
        }
    }
    __syncthreads();
    out[thread] = sums[thread], out[thread + 64] = sums[thread + 64];
}

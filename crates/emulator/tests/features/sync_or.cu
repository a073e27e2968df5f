// Barriers that tell whether something holds for any thread, and whether for all.
// launch: grid=2 block=96

extern "C" __global__ void sync_or(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int any = __syncthreads_or(in[i] == in[70]), none = __syncthreads_or(0);
    int all = __syncthreads_and(in[i] != in[70]), always = __syncthreads_and(2);
    out[i] = (any != 0) + 2 * (none != 0) + 4 * (all != 0) + 8 * (always != 0);
}

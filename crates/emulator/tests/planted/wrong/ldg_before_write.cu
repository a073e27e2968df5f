// Mistake: a word is read through the read-only path and then written in the same launch.
// launch: grid=1 block=64
// finds: read-only
// line: 6 8
extern "C" __global__ void ldg_before_write(const unsigned *in, unsigned *out) {
    const unsigned before = __ldg(out + threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x] + before;
}

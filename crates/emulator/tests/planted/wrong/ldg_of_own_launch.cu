// Mistake: a read-only load of what the same launch has written, if only before a barrier.
// launch: grid=1 block=64
// finds: read-only
// line: 6 8
extern "C" __global__ void ldg_of_own_launch(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[threadIdx.x] * 3;
    __syncthreads();
    out[64 + threadIdx.x] = __ldg(out + 63 - threadIdx.x);
}

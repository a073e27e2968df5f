// Mistake: the launch gives 256 bytes and the kernel uses 260.
// launch: grid=1 block=64 dynamic=256
// finds: out-of-bounds
// line: 7 9
extern "C" __global__ void dynamic_shared_above_end(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned dynamic_shared_above_end_values[];
    dynamic_shared_above_end_values[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic_shared_above_end_values[64 - threadIdx.x];
}

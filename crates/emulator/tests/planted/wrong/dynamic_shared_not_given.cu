// Mistake: the launch gives no dynamic shared memory.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7 9
extern "C" __global__ void dynamic_shared_not_given(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned dynamic_shared_not_given_values[];
    dynamic_shared_not_given_values[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = dynamic_shared_not_given_values[31 - threadIdx.x];
}

// Mistake: data and a volatile flag in shared memory, with no fence between them.
// launch: grid=1 block=64
// finds: race-in-block
// line: 11 15
extern "C" __global__ void flag_in_shared_without_fence(const unsigned *in, unsigned *out) {
    __shared__ unsigned value;
    __shared__ volatile unsigned ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = in[5];
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (ready == 0) {}
        out[0] = value;
    }
}

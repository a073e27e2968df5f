// Mistake: element -1 is written by the first thread.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 8
extern "C" __global__ void shared_below_start(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const int place = int(threadIdx.x) - 1 + int(in[0]);
    values[place] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 63) out[threadIdx.x] = values[threadIdx.x];
}

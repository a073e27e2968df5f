// Mistake: the value that one thread writes for all is read without a barrier.
// launch: grid=1 block=96
// finds: race-in-block unwritten
// line: 7 9
extern "C" __global__ void broadcast_too_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned pivot;
    if (threadIdx.x == 70) pivot = in[70];
    __syncwarp();
    out[threadIdx.x] = pivot;
}

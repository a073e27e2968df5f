// Mistake: the first eight lanes exchange over a distance of eight, with lanes that do not take part.
// launch: grid=1 block=32
// finds: warp-operation
// line: 8
extern "C" __global__ void shuffle_xor_outside_mask(const unsigned *in, unsigned *out) {
    if (threadIdx.x < 8) {
        unsigned sum = in[threadIdx.x];
        for (int step = 8; step; step /= 2) sum += __shfl_xor_sync(0xff, sum, step);
        out[threadIdx.x] = sum;
    }
}

// Mistake: the lanes go through the loop a different number of times, and each round names all.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void shuffle_in_loop_of_lane(const unsigned *in, unsigned *out) {
    unsigned sum = in[threadIdx.x];
    for (unsigned k = 0; k <= threadIdx.x % 4; k++) sum += __shfl_sync(~0u, sum, k);
    out[threadIdx.x] = sum;
}

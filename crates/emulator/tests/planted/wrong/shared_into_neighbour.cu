// Mistake: the loop goes one element too far, into whatever lies behind the array.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 11
extern "C" __global__ void shared_into_neighbour(const unsigned *in, unsigned *out) {
    __shared__ unsigned first[32], second[32];
    second[threadIdx.x] = in[threadIdx.x + 32];
    first[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    unsigned sum = 0;
    for (unsigned k = 0; k <= 32 + in[0]; k++) sum = sum * 3 + first[k];
    out[threadIdx.x] = sum + second[31 - threadIdx.x];
}

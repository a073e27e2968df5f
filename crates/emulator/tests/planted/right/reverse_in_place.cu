// In global memory, in place: all of a block's values are in registers before the first is written back.
// launch: grid=2 block=64 repeat=2
extern "C" __global__ void reverse_in_place(const unsigned *in, unsigned *out) {
    unsigned *mine = out + blockIdx.x * 64;
    mine[threadIdx.x] += in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    const unsigned value = mine[63 - threadIdx.x];
    __syncthreads();
    mine[threadIdx.x] = value;
}

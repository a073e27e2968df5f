// Vectors of four words.
// launch: grid=2 block=64
// kernel: uint4_kernel

extern "C" __global__ void uint4_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 value = ((const uint4 *)in)[i];
    value.x += value.w;
    ((uint4 *)out)[i] = make_uint4(value.y, value.z, value.x, value.w & i);
}

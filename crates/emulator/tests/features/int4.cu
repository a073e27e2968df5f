// Vectors of four integers.
// launch: grid=2 block=64
// kernel: int4_kernel

extern "C" __global__ void int4_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 value = ((const int4 *)in)[i];
    int4 made = make_int4(min(value.x, value.y), max(value.x, value.y), value.z >> 1, value.w / 3);
    ((int4 *)out)[i] = made;
}

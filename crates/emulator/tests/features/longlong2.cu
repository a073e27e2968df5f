// Vectors of two 64-bit integers.
// launch: grid=2 block=64
// kernel: longlong2_kernel

extern "C" __global__ void longlong2_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    longlong2 value = ((const longlong2 *)in)[i];
    longlong2 made = make_longlong2(value.y >> 3, (long long)(int)in[i] * value.x);
    ((longlong2 *)out)[i] = made;
}

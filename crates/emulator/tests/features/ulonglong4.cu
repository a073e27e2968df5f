// Vectors of four 64-bit integers.
// launch: grid=1 block=64
// kernel: ulonglong4_kernel

extern "C" __global__ void ulonglong4_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    ulonglong4 value = ((const ulonglong4 *)in)[i];
    value.x *= 3;
    ((ulonglong4 *)out)[i] = make_ulonglong4(value.w, value.z >> 7, value.y ^ value.x, value.x);
}

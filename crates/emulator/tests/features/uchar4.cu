// Vectors of four bytes.
// launch: grid=2 block=64
// kernel: uchar4_kernel

extern "C" __global__ void uchar4_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 value = ((const uchar4 *)in)[i];
    uchar4 made = make_uchar4(value.w, (unsigned char)(value.x + value.y), (unsigned char)~value.z, 255);
    ((uchar4 *)out)[i] = made;
    out[i + 1024] = value.x * value.y - value.z + sizeof(uchar4) * alignof(uchar4);
}

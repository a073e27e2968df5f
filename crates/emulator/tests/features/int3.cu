// Vectors of three integers.
// launch: grid=2 block=64
// kernel: int3_kernel

extern "C" __global__ void int3_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int3 value = make_int3((int)in[i], -(int)(in[i] & 255), 3);
    const int3 *values = (const int3 *)in;
    int3 other = values[i];
    out[i] = (unsigned)(value.x ^ value.y) + (unsigned)(other.z & other.y) + value.z * sizeof(int3);
}

// Vectors of two doubles.
// launch: grid=2 block=64
// kernel: double2_kernel

extern "C" __global__ void double2_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ double2 values[64];
    values[threadIdx.x] = make_double2((double)in[i], -(double)(int)in[i]);
    __syncthreads();
    double2 other = values[(threadIdx.x + 1) % 64];
    out[i] = (unsigned)(__double_as_longlong(other.x - other.y) >> 20) + sizeof(double2) + alignof(double2);
}

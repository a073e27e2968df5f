// Two arrays in one declaration, one statement with two shapes.
// launch: grid=2 block=64

extern "C" __global__ void shared_two_decl(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float a[64], b[2][32];
    __shared__ unsigned one, *place;
    a[threadIdx.x] = (float)(in[i] & 0xffff);
    b[threadIdx.x / 32][threadIdx.x % 32] = (float)(in[i] >> 16);
    if (threadIdx.x == 1) one = in[i], place = &one;
    __syncthreads();
    out[i] = (unsigned)a[63 - threadIdx.x] + ((unsigned)b[threadIdx.x % 2][threadIdx.x / 2] << 8) + *place;
}

// Vectors of four integers in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void shared_int4(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int4 fours[2][32];
    fours[threadIdx.x / 32][threadIdx.x % 32] = make_int4((int)in[i], -1, (int)i, (int)in[i] >> 8);
    __syncthreads();
    int4 other = fours[1 - threadIdx.x / 32][threadIdx.x % 32 ^ 3];
    out[i] = (unsigned)(other.x ^ other.z) + (unsigned)other.w * (unsigned)other.y;
}

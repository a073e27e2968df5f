// Four floats read as a vector, and the members of a vector as an array.
// launch: grid=2 block=64

extern "C" __global__ void float4_reinterpret(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) float values[256];
    for (int k = 0; k < 4; ++k) values[threadIdx.x + 64 * k] = (float)(in[i + 64 * k] & 0xffff);
    __syncthreads();
    float4 four = *reinterpret_cast<float4 *>(&values[4 * threadIdx.x]);
    const float *members = reinterpret_cast<const float *>(&four);
    out[i] = (unsigned)members[in[i] % 4] + (unsigned)four.x;
}

// Vectors of three floats, without padding.
// launch: grid=2 block=64
// kernel: float3_kernel

extern "C" __global__ void float3_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float3 *points = (const float3 *)in;
    float3 point = points[i], made = make_float3(1.0f, (float)(in[i] & 255), 3.0f);
    __shared__ float3 values[64];
    values[threadIdx.x] = made;
    __syncthreads();
    out[i] = __float_as_uint(point.x) ^ __float_as_uint(point.y) ^ __float_as_uint(point.z);
    out[i + 1024] = (unsigned)values[threadIdx.x ^ 3].y + sizeof(float3) * 1000 + alignof(float3);
}

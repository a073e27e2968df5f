// Vectors from global to shared memory in one statement.
// launch: grid=2 block=64

extern "C" __global__ void shared_float4_from_global(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float4 fours[64];
    fours[threadIdx.x] = ((const float4 *)in)[i];
    __syncthreads();
    float4 other = fours[threadIdx.x ^ 21];
    ((float4 *)out)[i] = make_float4(other.y, other.x, other.w, other.z);
}

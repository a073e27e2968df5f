// Facts that the compiler proves.
// launch: grid=2 block=64
// kernel: static_assert_kernel

static_assert(sizeof(void *) == 8 && sizeof(long) == 8, "pointers of 64 bits");
template <int SIZE> __device__ unsigned static_assert_least(unsigned value) {
    static_assert(SIZE % 2 == 0);
    return value % SIZE;
}

extern "C" __global__ void static_assert_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && alignof(float2) == 8, "aligned vectors");
    static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "vectors without padding");
    out[i] = static_assert_least<10>(in[i]);
}

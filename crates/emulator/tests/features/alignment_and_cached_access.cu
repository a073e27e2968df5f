// === align_after
// An alignment between __shared__ and the type.
// launch: grid=2 block=64

extern "C" __global__ void align_after(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) float values[64];
    values[threadIdx.x] = (float)(in[i] & 0xffff);
    __syncthreads();
    float4 four = ((const float4 *)values)[threadIdx.x / 4];
    out[i] = (unsigned)(four.x + four.y + four.z + four.w) + (unsigned)((unsigned long long)values % 16);
}

// === align_before
// An alignment before __shared__.
// launch: grid=2 block=64

extern "C" __global__ void align_before(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __align__(16) __shared__ unsigned values[64];
    values[threadIdx.x] = in[i];
    __syncthreads();
    uint4 four = ((const uint4 *)values)[threadIdx.x / 4];
    out[i] = (four.x ^ four.y) + (four.z ^ four.w);
}

// === align_name
// An alignment after the name of the array.
// launch: grid=2 block=64

extern "C" __global__ void align_name(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64] __attribute__((aligned(16)));
    values[63 - threadIdx.x] = in[i];
    __syncthreads();
    uint2 pair = ((const uint2 *)values)[threadIdx.x / 2];
    out[i] = pair.x - 3 * pair.y + (unsigned)((unsigned long long)values & 15);
}

// === align_struct
// A struct aligned by __align__ has its size rounded up and is moved as one.
// launch: grid=2 block=64

struct __align__(16) align_struct_point { float x, y, z; };

extern "C" __global__ void align_struct(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ align_struct_point points[64];
    points[threadIdx.x] = {(float)(in[i] & 255), (float)(in[i] >> 24), 1.0f};
    __syncthreads();
    align_struct_point other = points[63 - threadIdx.x];
    out[i] = (unsigned)(other.x + other.y + other.z) + sizeof(align_struct_point) * 1000 + alignof(align_struct_point) * 100000;
    out[i + 1024] = (unsigned)((unsigned long long)&points[threadIdx.x] % 16);
}

// === alignas_after
// alignas after __shared__.
// launch: grid=2 block=64

extern "C" __global__ void alignas_after(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[64];
    values[threadIdx.x] = in[i] >> 3;
    __syncthreads();
    uint4 four = ((const uint4 *)values)[15 - threadIdx.x / 4];
    out[i] = four.x + 2 * four.y + 3 * four.z + 5 * four.w;
}

// === alignas_before
// alignas before __shared__.
// launch: grid=2 block=64

extern "C" __global__ void alignas_before(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    alignas(16) __shared__ unsigned values[64];
    values[threadIdx.x] = in[i] >> 5;
    __syncthreads();
    uint4 four = ((const uint4 *)values)[threadIdx.x / 4];
    out[i] = four.x ^ (four.y << 1) ^ (four.z << 2) ^ (four.w << 3);
}

// === assume
// __builtin_assume promises a fact and computes nothing.
// launch: grid=2 block=64
// kernel: assume_kernel

extern "C" __global__ void assume_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = (int)(in[i] & 0x7fffffff);
    __builtin_assume(value >= 0);
    out[i] = (unsigned)(value / 8 + value % 7);
}

// === assume_aligned
// __builtin_assume_aligned returns its pointer.
// launch: grid=2 block=64

extern "C" __global__ void assume_aligned(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned *four = (const unsigned *)__builtin_assume_aligned(in + 4 * i, 16);
    out[i] = four[0] ^ four[1] ^ four[2] ^ four[3];
}

// === ldcg
// Loads that pass the cache of the multiprocessor.
// launch: grid=2 block=64

extern "C" __global__ void ldcg(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 four = __ldcg((const float4 *)in + i);
    unsigned one = __ldcg(&in[i]), again = __ldca(&in[i + 1]), fresh = __ldcv(&in[i + 2]);
    out[i] = (__float_as_uint(four.x) ^ __float_as_uint(four.w)) + one + 3 * again + 5 * fresh;
}

// === ldcs
// Loads of what is read once.
// launch: grid=2 block=64

extern "C" __global__ void ldcs(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int2 pair = __ldcs((const int2 *)in + i);
    out[i] = (unsigned)(pair.x ^ pair.y) + __ldcs(&in[i]) + __ldlu(&in[i + 1]);
}

// === ldg
// Loads through the read-only cache.
// launch: grid=2 block=64

extern "C" __global__ void ldg(const unsigned *__restrict__ in, unsigned *__restrict__ out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = __ldg((const float *)in + i);
    unsigned char byte = __ldg((const unsigned char *)in + i);
    out[i] = __ldg(&in[i]) + (__float_as_uint(value) >> 4) + byte + (unsigned)__ldg((const long long *)in + i);
}

// === ldg4
// Vectors through the read-only cache.
// launch: grid=2 block=64

extern "C" __global__ void ldg4(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 four = __ldg((const float4 *)in + i);
    uint2 pair = __ldg((const uint2 *)in + i);
    ((float4 *)out)[i] = make_float4(four.w, four.z, four.y, four.x);
    out[i + 1024] = pair.x - pair.y;
}

// === more_ld_global_nc
// Loads of vectors by the read-only path, by PTX.
// launch: grid=2 block=64

extern "C" __global__ void more_ld_global_nc(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a, b, c, d;
    float x, y;
    unsigned long long wide;
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(in + 4 * i));
    asm volatile("ld.global.nc.L1::no_allocate.v2.f32 {%0, %1}, [%2 + 8];" : "=f"(x), "=f"(y) : "l"(in + 4 * i));
    asm("ld.global.nc.L2::128B.u64 %0, [%1];" : "=l"(wide) : "l"(in + 2 * i));
    out[i] = a ^ (b * 3) ^ (c * 5) ^ (d * 7);
    out[i + 1024] = __float_as_uint(x) + 3 * __float_as_uint(y) + (unsigned)(wide >> 16);
}

// === stcs
// Stores of what is not read again.
// launch: grid=2 block=64

extern "C" __global__ void stcs(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __stcs(&out[i], in[i] + 1);
    __stcs((float4 *)out + 256 + i, make_float4((float)(in[i] & 0xff), 1.0f, 2.0f, 3.0f));
    __stcg((uint2 *)out + 1024 + i, make_uint2(in[i], i));
}

// === stwt
// Stores that are written through.
// launch: grid=2 block=64

extern "C" __global__ void stwt(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __stwt(&out[i], in[i] ^ 1);
    __stwt((double *)out + 512 + i, (double)in[i]);
    __stwb(&out[2048 + i], in[i] + 2);
}

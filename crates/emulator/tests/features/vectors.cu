// === char2
// Vectors of two signed bytes.
// launch: grid=2 block=64
// kernel: char2_kernel

extern "C" __global__ void char2_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    char2 a = make_char2((signed char)in[i], (signed char)(in[i] >> 8));
    const char2 *pairs = (const char2 *)in;
    char2 b = pairs[i];
    out[i] = (unsigned)(a.x * a.y) + (unsigned)(b.x - b.y) * 65536u + sizeof(char2);
}

// === double2
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

// === float1
// Vectors of one float.
// launch: grid=2 block=64
// kernel: float1_kernel

extern "C" __global__ void float1_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float1 value = make_float1((float)(in[i] & 0xffff));
    const float1 *values = (const float1 *)in;
    out[i] = __float_as_uint(value.x) ^ __float_as_uint(values[i + 1].x) ^ sizeof(float1);
}

// === float3
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

// === float4
// Vectors of four floats, made, read and written as one.
// launch: grid=2 block=64
// kernel: float4_kernel

extern "C" __global__ void float4_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 value = make_float4((float)(in[i] & 255), (float)(in[i] >> 24), 3.0f, -4.0f);
    float4 *results = (float4 *)out;
    value.w += value.x;
    results[i] = value;
    out[i + 1024] = sizeof(float4) * 100 + alignof(float4);
}

// === float4_array
// An array of vectors indexed by a value that is known only at run time.
// launch: grid=2 block=64

extern "C" __global__ void float4_array(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 *fours = (const float4 *)in;
    float4 values[3] = {make_float4(1.0f, 2.0f, 3.0f, 4.0f), make_float4(5.0f, 6.0f, 7.0f, 8.0f), {}};
    values[2] = fours[i];
    float4 picked = values[in[i] % 3];
    out[i] = __float_as_uint(picked.x) ^ __float_as_uint(picked.y) ^ __float_as_uint(picked.z) ^ __float_as_uint(picked.w);
}

// === float4_brace
// Vectors from braces, with and without all members.
// launch: grid=2 block=64

extern "C" __global__ void float4_brace(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (float)(in[i] & 0xffff);
    float4 a = {x, 1.0f, 2.0f, 3.0f}, b{x, 5.0f}, c = float4{};
    c = {x, x, 7.0f, 8.0f};
    out[i] = (unsigned)(a.x + a.w + b.x + b.y + b.w + c.y + c.z);
}

// === float4_by_value
// A vector given to a function by value stays as it was.
// launch: grid=2 block=64

__device__ float float4_by_value_sum(float4 value) {
    value.x += value.y;
    value.z += value.w;
    return value.x += value.z;
}

extern "C" __global__ void float4_by_value(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 value = make_float4((float)(in[i] & 0xff), (float)(in[i + 1] & 0xff), 2.0f, 3.0f);
    float sum = float4_by_value_sum(value);
    out[i] = (unsigned)sum * 4096 + (unsigned)value.x;
}

// === float4_compare
// An operator == of the file's own for vectors.
// launch: grid=2 block=64

__device__ bool operator==(const float4 &a, const float4 &b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }

extern "C" __global__ void float4_compare(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = make_float4((float)(in[i] & 1), (float)(in[i] & 2), 0.0f, -0.0f), b = make_float4(0.0f, 2.0f, 0.0f, 0.0f);
    out[i] = (a == b) + 2 * (a == a) + 4 * (a.x < b.y);
}

// === float4_const_ref
// Vectors passed by reference to const.
// launch: grid=2 block=64

__device__ float float4_const_ref_least(const float4 &value) { return fminf(fminf(value.x, value.y), fminf(value.z, value.w)); }

extern "C" __global__ void float4_const_ref(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint4 bits = ((const uint4 *)in)[i];
    const float4 value = make_float4((float)bits.x, (float)(int)bits.y, (float)bits.z, (float)(int)bits.w);
    out[i] = __float_as_uint(float4_const_ref_least(value)) ^ __float_as_uint(float4_const_ref_least(make_float4(9.0f, 8.0f, 7.0f, value.x)));
}

// === float4_local_arr
// An array of vectors of a thread's own, filled and summed in loops.
// launch: grid=2 block=64

extern "C" __global__ void float4_local_arr(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 values[4];
    for (int k = 0; k < 4; ++k) values[k] = make_float4((float)(in[i + k] & 0xff), (float)k, (float)(in[i] >> 24), 1.0f);
    float sum = 0.0f;
    for (int k = 3; k >= 0; --k) sum += values[k].x + values[(in[i] + k) % 4].y + values[k].z;
    out[i] = (unsigned)sum;
}

// === float4_operator
// Operators of the file's own on vectors.
// launch: grid=2 block=64

__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ float4 &operator*=(float4 &a, float factor) {
    a = make_float4(a.x * factor, a.y * factor, a.z * factor, a.w * factor);
    return a;
}

extern "C" __global__ void float4_operator(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = make_float4((float)(in[i] & 0xfff), 1.0f, 2.0f, 3.0f);
    a *= 4.0f;
    float4 sum = a + make_float4(0.5f, (float)(in[i] >> 20), 0.0f, -1.0f);
    out[i] = __float_as_uint(sum.x) ^ __float_as_uint(sum.y) ^ __float_as_uint(sum.z) ^ __float_as_uint(sum.w);
}

// === float4_ref
// Vectors and their members changed by reference.
// launch: grid=2 block=64

__device__ void float4_ref_swap(float4 &value, float &member) {
    float x = value.x;
    value.x = value.w;
    value.w = x;
    member += 1.0f;
}

extern "C" __global__ void float4_ref(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 value = make_float4((float)(in[i] & 0xff), 0.0f, 2.0f, (float)(in[i] >> 24));
    float4_ref_swap(value, value.y);
    float &last = value.w;
    last *= 2.0f;
    out[i] = (unsigned)value.x + 1000 * (unsigned)value.y + 10000 * (unsigned)value.w;
}

// === float4_reinterpret
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

// === float4_return
// Functions that return vectors, whose members are read at once.
// launch: grid=2 block=64

__device__ float4 float4_return_of(unsigned value) { return make_float4((float)(value & 7), (float)(value & 31), (float)(value >> 28), 1.5f); }

extern "C" __global__ void float4_return(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned)(float4_return_of(in[i]).y + float4_return_of(in[i] >> 4).z) + __float_as_uint(float4_return_of(in[i]).w);
}

// === float4_ternary
// A choice between two vectors.
// launch: grid=2 block=64

extern "C" __global__ void float4_ternary(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = make_float4((float)(in[i] & 255), 1.0f, 2.0f, 3.0f), b = make_float4(9.0f, (float)(in[i] >> 24), 8.0f, 7.0f);
    float4 picked = (int)in[i] < 0 ? a : b;
    float4 again = in[i] & 1 ? make_float4(5.0f, 5.0f, 5.0f, 5.0f) : picked;
    out[i] = (unsigned)(picked.x + picked.y) + 1024 * (unsigned)(again.z + again.w);
}

// === float4_volatile
// Members of a volatile vector in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void float4_volatile(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ volatile float4 values[64];
    values[threadIdx.x].x = (float)(in[i] & 0xffff);
    values[threadIdx.x].w = values[threadIdx.x].x + 1.0f;
    __syncthreads();
    volatile float4 *other = &values[threadIdx.x ^ 9];
    out[i] = (unsigned)(other->x + other->w);
}

// === int3
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

// === int4
// Vectors of four integers.
// launch: grid=2 block=64
// kernel: int4_kernel

extern "C" __global__ void int4_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 value = ((const int4 *)in)[i];
    int4 made = make_int4(min(value.x, value.y), max(value.x, value.y), value.z >> 1, value.w / 3);
    ((int4 *)out)[i] = made;
}

// === longlong2
// Vectors of two 64-bit integers.
// launch: grid=2 block=64
// kernel: longlong2_kernel

extern "C" __global__ void longlong2_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    longlong2 value = ((const longlong2 *)in)[i];
    longlong2 made = make_longlong2(value.y >> 3, (long long)(int)in[i] * value.x);
    ((longlong2 *)out)[i] = made;
}

// === short2
// Vectors of two 16-bit integers.
// launch: grid=2 block=64
// kernel: short2_kernel

extern "C" __global__ void short2_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    short2 value = ((const short2 *)in)[i], made = make_short2((short)in[i + 1], (short)-5);
    __shared__ short2 pairs[64];
    pairs[threadIdx.x] = made;
    __syncthreads();
    short2 other = pairs[threadIdx.x ^ 8];
    out[i] = (unsigned)(value.x * other.x) ^ (unsigned)(value.y + other.y);
}

// === uchar4
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

// === uint4
// Vectors of four words.
// launch: grid=2 block=64
// kernel: uint4_kernel

extern "C" __global__ void uint4_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 value = ((const uint4 *)in)[i];
    value.x += value.w;
    ((uint4 *)out)[i] = make_uint4(value.y, value.z, value.x, value.w & i);
}

// === uint8
// A type of the file's own that is named like a vector.
// launch: grid=2 block=64
// kernel: uint8_kernel

struct uint8 { unsigned values[8]; };

extern "C" __global__ void uint8_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint8 eight = ((const uint8 *)in)[i];
    unsigned sum = 0;
    for (unsigned k = 0; k < 8; ++k) sum = sum * 5 + eight.values[k];
    out[i] = sum;
}

// === ulonglong4
// Vectors of four 64-bit integers.
// launch: grid=1 block=64
// kernel: ulonglong4_kernel

extern "C" __global__ void ulonglong4_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    ulonglong4 value = ((const ulonglong4 *)in)[i];
    value.x *= 3;
    ((ulonglong4 *)out)[i] = make_ulonglong4(value.w, value.z >> 7, value.y ^ value.x, value.x);
}

// === vector_bits
// Vectors are copied as bytes: shuffles of any type within tiles, bits of one type as another.
// launch: grid=2 block=64
// needs: cooperative_groups.h

#include <cooperative_groups.h>
struct vector_bits_node { float2 place; uchar4 color; unsigned next; };
__device__ unsigned vector_bits_of(float2 v) { return __float_as_uint(v.x) ^ __float_as_uint(v.y); }
extern "C" __global__ void vector_bits(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    auto tile = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
    static_assert(__is_trivially_copyable(int2) && __is_trivially_copyable(uchar4) && __is_trivially_copyable(dim3));
    static_assert(__is_trivially_copyable(double4_16a) && __is_trivially_copyable(vector_bits_node) && __is_standard_layout(float4));
    uchar4 bytes = __builtin_bit_cast(uchar4, in[i]);
    int2 pair = tile.shfl(make_int2((int)in[i], bytes.y), 3);
    uchar4 down = tile.shfl_down(bytes, 2);
    ushort2 up = tile.shfl_up(make_ushort2(bytes.x, bytes.w), 1);
    float4 four = tile.shfl_xor(make_float4(bytes.x, bytes.y, bytes.z, bytes.w), 5);
    dim3 extent = tile.shfl(dim3(bytes.x, bytes.y, bytes.z), 7);
    vector_bits_node node = {make_float2(bytes.x, bytes.y), bytes, i};
    node = tile.shfl(node, tile.thread_rank() ^ 9);
    out[i] = (unsigned)pair.x ^ (unsigned)pair.y ^ __builtin_bit_cast(unsigned, down) ^ up.x * 256u ^ up.y ^ extent.z;
    out[i + 1024] = (unsigned)(four.x + 2 * four.y + 3 * four.z + 4 * four.w) ^ node.next ^ node.color.z ^ vector_bits_of(node.place);
}

// === vector_reduce
// Sums of vectors over a tile and a scan, with the file's own operators.
// launch: grid=2 block=64
// needs: cooperative_groups.h

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ int4 operator+(int4 a, int4 b) { return make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
extern "C" __global__ void vector_reduce(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    float2 sum = cooperative_groups::reduce(tile, make_float2(in[i] & 0xff, in[i] >> 24), cooperative_groups::plus<float2>());
    int4 most = cooperative_groups::reduce(tile, make_int4((int)in[i], 1, (int)i, 2), [](int4 a, int4 b) { return a.x < b.x ? b : a; });
    int4 before = cooperative_groups::inclusive_scan(tile, make_int4(1, (int)(in[i] & 15), 2, (int)i));
    out[i] = (unsigned)sum.x * 65536 + (unsigned)sum.y;
    out[i + 1024] = (unsigned)(most.x ^ most.z ^ before.x ^ before.y * 256 ^ before.z ^ before.w * 4096);
}

// === vector_assigned
// A vector is one store however it is written, also as a member of a structure.
// launch: grid=2 block=64

struct __align__(16) vector_assigned_pair { float4 first; int2 second; };
struct vector_assigned_2 { unsigned x, y; };
__device__ constexpr unsigned vector_assigned_before(unsigned x) {
    vector_assigned_2 own[2] = {};
    own[1] = vector_assigned_2{x, x + 1};
    return own[1].y;
}
static_assert(vector_assigned_before(3) == 4);
extern "C" __global__ void vector_assigned(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffff);
    float4 *fours = (float4 *)(out + 256);
    uchar4 *bytes = (uchar4 *)out;
    __shared__ vector_assigned_pair pairs[64];
    switch (i % 4) {
    case 0: fours[i] = {a, 1.0f}; break;
    case 1: fours[i] = float4{a, 2.0f, a, 4.0f}; break;
    case 2: *(fours + i) = float4{}; break;
    default: fours[i] = make_float4(5.0f, 6.0f, 7.0f, 8.0f);
    }
    pairs[threadIdx.x] = {fours[i], {(int)i, 7}};
    __syncthreads();
    auto other = pairs[threadIdx.x ^ 1];
    (fours[i + 128] = other.first).y = 3.0f;
    bytes[i] = uchar4{(unsigned char)other.second.x, (unsigned char)in[i], (unsigned char)other.first.w, 9};
}

// === vector_atomic
// Vectors of 8 bytes as one atomic, of 16 bytes by atomicCAS and atomicExch.
// launch: grid=2 block=64
// needs: cuda/atomic

#include <cuda/atomic>
extern "C" __global__ void vector_atomic(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int2 *pairs = (int2 *)out;
    cuda::atomic_ref<int2, cuda::thread_scope_device> sum(pairs[blockIdx.x]);
    int2 known = sum.load(cuda::memory_order_relaxed);
    while (!sum.compare_exchange_weak(known, make_int2(known.x + (int)(in[i] & 255), known.y + 1))) {}
    cuda::atomic_ref<uchar4, cuda::thread_scope_block> own(((uchar4 *)out)[64 + i]);
    own.store(make_uchar4(1, 2, 3, (unsigned char)in[i]));
    uchar4 before = own.exchange(make_uchar4(4, 5, 6, 7));
    uint4 *fours = (uint4 *)(out + 512);
    uint4 at = atomicCAS(&fours[blockIdx.x], make_uint4(0, 0, 0, 0), make_uint4(1, 2, 3, 4));
    uint4 last = atomicExch(&fours[64 + i], make_uint4(in[i], at.x > 1, at.y > 2, before.w));
    out[256 + i] = last.x + before.w;
}

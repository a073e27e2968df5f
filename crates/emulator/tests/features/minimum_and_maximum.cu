// === fmin
// The lesser of two doubles, and of two floats by the same name.
// launch: grid=2 block=64
// kernel: fmin_kernel

extern "C" __global__ void fmin_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = (double)(int)in[i] / 4.0, b = (double)(int)in[i + 1] / 8.0;
    double not_a_number = __longlong_as_double(0x7ff8000000000000ll);
    out[i] = (unsigned)(__double_as_longlong(fmin(a, b)) >> 16);
    out[i + 1024] = (unsigned)(__double_as_longlong(fmax(fmin(not_a_number, a), b)) >> 16);
    out[i + 2048] = __float_as_uint(fmin((float)a, (float)b));
}

// === fminf
// The lesser of two floats; a NaN loses against a number.
// launch: grid=2 block=64
// kernel: fminf_kernel

extern "C" __global__ void fminf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)((int)in[i] >> 8), b = (float)((int)in[i + 1] >> 8);
    float not_a_number = __int_as_float(0x7fc00000);
    out[i] = __float_as_uint(fminf(a, b));
    out[i + 1024] = __float_as_uint(fminf(not_a_number, a)) ^ __float_as_uint(fmaxf(b, not_a_number));
}

// === fminf_addr
// A function of the language by its address.
// launch: grid=2 block=64

typedef float (*fminf_addr_function)(float, float);

extern "C" __global__ void fminf_addr(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    fminf_addr_function functions[2] = {fminf, &fmaxf};
    float a = (float)((int)in[i] >> 8), b = (float)((int)in[i + 1] >> 8);
    out[i] = __float_as_uint(functions[i % 2](a, b));
}

// === global_fminf
// Functions of the language by their global name.
// launch: grid=2 block=64

namespace global_fminf_names {
__device__ float fminf(float a, float b) { return ::fminf(a, b) - 1.0f; }
}

extern "C" __global__ void global_fminf(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffff), b = (float)(in[i + 1] & 0xffff);
    out[i] = (unsigned)::fminf(a, b) + (unsigned)(global_fminf_names::fminf(a, b) + 1.0f) + (unsigned)::max((int)in[i], 3);
}

// === min_double
// min and max of doubles.
// launch: grid=2 block=64

extern "C" __global__ void min_double(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = (double)(int)in[i] / 2.0, b = (double)(int)in[i + 1] / 2.0;
    out[i] = (unsigned)(__double_as_longlong(min(a, b)) >> 20) ^ (unsigned)(__double_as_longlong(max(a, 0.25)) >> 21);
}

// === min_float_int
// min of a float and an int, each made the other's type by hand.
// launch: grid=2 block=64

extern "C" __global__ void min_float_int(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int whole = (int)in[i] >> 16;
    float value = (float)((int)in[i + 1] >> 16) + 0.5f;
    out[i] = __float_as_uint(min(value, (float)whole)) ^ (unsigned)max(whole, (int)value);
    out[i + 1024] = __float_as_uint(max(value, 2.0f)) + (unsigned)(__double_as_longlong(min(value, 2.0)) >> 32);
}

// === min_long
// min and max of long and long long, signed and unsigned.
// launch: grid=2 block=64

extern "C" __global__ void min_long(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    long a = (long)(int)in[i] * 65536, b = (long)(int)in[i + 1] * 65536;
    long long c = (long long)a * 3, d = -5;
    unsigned long e = (unsigned long)in[i] << 8;
    unsigned long long f = (unsigned long long)b;
    out[i] = (unsigned)(min(a, b) >> 16) ^ (unsigned)(max(c, d) >> 10);
    out[i + 1024] = (unsigned)(min(e, (unsigned long)f) >> 7) ^ (unsigned)(max(f, 77ull) >> 33);
}

// === min_mixed
// min and max of signed with unsigned numbers: both are taken as unsigned.
// launch: grid=2 block=64

extern "C" __global__ void min_mixed(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int negative = -(int)(in[i] & 0xff) - 1;
    out[i] = min(negative, in[i]) ^ max(in[i + 1], negative);
    out[i + 1024] = (unsigned)min((long long)negative, (unsigned long long)in[i]) + (unsigned)(max(1ull, (long long)negative) >> 32);
}

// === min_size_t
// min of sizes.
// launch: grid=2 block=64

extern "C" __global__ void min_size_t(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    size_t a = (size_t)in[i] << 5, b = sizeof(float) * (size_t)in[i + 1];
    out[i] = (unsigned)(min(a, b) >> 3) + (unsigned)max(b, sizeof(double));
}

// === user_min
// A function min of the file's own, for a type of its own and in a namespace.
// launch: grid=2 block=64

struct user_min_pair { unsigned key, value; };
__device__ user_min_pair min(const user_min_pair &a, const user_min_pair &b) { return b.key < a.key ? b : a; }
namespace user_min_names {
template <typename T> __device__ T min(T a, T b) { return a < b ? a : b; }
}

extern "C" __global__ void user_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    user_min_pair least = min(user_min_pair{in[i] & 0xff, i}, user_min_pair{in[i + 1] & 0xff, i + 1});
    out[i] = least.key * 1000 + least.value + min(3u, in[i]) + (unsigned)user_min_names::min<float>((float)(in[i] & 15), 7.5f);
}

// === using_name_min
// Variables named min and max, and the functions by a using-declaration.
// launch: grid=2 block=64

__device__ unsigned using_name_min_least(unsigned a, unsigned b) {
    using ::min;
    return min(a, b);
}

extern "C" __global__ void using_name_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned min = in[i], max = in[i];
    for (unsigned k = 1; k < 4; ++k) {
        if (in[i + k] < min) min = in[i + k];
        max = ::max(max, in[i + k]);
    }
    out[i] = max - min + using_name_min_least(min, 100000u);
}

// === viaddmin_relu
// The lesser of a sum and a number, not less than zero.
// launch: grid=2 block=64

extern "C" __global__ void viaddmin_relu(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = (int)in[i] >> 2, b = (int)in[i + 1] >> 2, c = (int)in[i + 2];
    out[i] = (unsigned)__viaddmin_s32_relu(a, b, c);
    out[i + 1024] = (unsigned)__viaddmax_s32_relu(a, b, c) ^ (unsigned)__vimin_s32_relu(a, b);
}

// === viaddmin_s
// The lesser and the greater of a sum and a number, signed.
// launch: grid=2 block=64

extern "C" __global__ void viaddmin_s(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = (int)in[i] >> 2, b = (int)in[i + 1] >> 2, c = (int)in[i + 2];
    out[i] = (unsigned)__viaddmin_s32(a, b, c);
    out[i + 1024] = (unsigned)__viaddmax_s32(a, b, c);
}

// === viaddmin_s16x2
// The lesser of a sum and a number, in each half of a word.
// launch: grid=2 block=64

extern "C" __global__ void viaddmin_s16x2(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = __vsub2(in[i] & 0x3fff3fff, 0x20002000), b = __vsub2(in[i + 1] & 0x3fff3fff, 0x20002000), c = in[i + 2];
    out[i] = __viaddmin_s16x2(a, b, c) ^ (__viaddmin_s16x2_relu(a, b, c) >> 1);
    out[i + 1024] = __viaddmax_s16x2(a, b, c);
    out[i + 2048] = __viaddmin_u16x2(in[i] & 0x7fff7fff, in[i + 1] & 0x7fff7fff, c);
}

// === viaddmin_u
// The lesser and the greater of a sum and a number, unsigned.
// launch: grid=2 block=64

extern "C" __global__ void viaddmin_u(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i] >> 1, b = in[i + 1] >> 1, c = in[i + 2];
    out[i] = __viaddmin_u32(a, b, c);
    out[i + 1024] = __viaddmax_u32(a, b, c);
}

// === vibmin
// The lesser of two, and which of them it was.
// launch: grid=2 block=64

extern "C" __global__ void vibmin(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    bool first, high, low, greater;
    int least = __vibmin_s32((int)in[i], (int)in[i + 1], &first);
    unsigned most = __vibmax_u32(in[i] & 3, in[i + 1] & 3, &greater);
    unsigned halves = __vibmin_u16x2(in[i], in[i + 2], &high, &low);
    out[i] = (unsigned)least ^ most;
    out[i + 1024] = halves;
    out[i + 2048] = first + 2 * greater + 4 * high + 8 * low;
}

// === vimin3
// The least and the greatest of three, signed.
// launch: grid=2 block=64

extern "C" __global__ void vimin3(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = (int)in[i], b = (int)in[i + 1], c = (int)in[i + 2];
    out[i] = (unsigned)__vimin3_s32(a, b, c);
    out[i + 1024] = (unsigned)__vimax3_s32(a, b, c);
    out[i + 2048] = (unsigned)__vimin3_s32_relu(a, b, c) ^ (unsigned)__vimax3_s32_relu(a, b, c);
}

// === vimin3_u
// The least and the greatest of three, unsigned, in words and in halves of words.
// launch: grid=2 block=64

extern "C" __global__ void vimin3_u(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __vimin3_u32(in[i], in[i + 1], in[i + 2]);
    out[i + 1024] = __vimax3_u32(in[i], in[i + 1], in[i + 2]);
    out[i + 2048] = __vimin3_u16x2(in[i], in[i + 1], in[i + 2]) ^ __vimin3_s16x2(in[i], in[i + 1], in[i + 2]);
}

// === vmin
// The lesser and the greater in each half or byte of a word.
// launch: grid=2 block=64

extern "C" __global__ void vmin(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i], b = in[i + 1];
    out[i] = __vminu2(a, b) ^ (__vmins2(a, b) >> 1);
    out[i + 1024] = __vminu4(a, b) ^ (__vmins4(a, b) >> 1);
    out[i + 2048] = __vmaxu2(a, b) ^ (__vmaxs4(a, b) >> 1) ^ __vaddus2(a, b) ^ __vcmpltu4(a, b);
}

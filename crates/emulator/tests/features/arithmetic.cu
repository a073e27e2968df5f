// === __fadd_rd
// Addition rounded toward minus infinity differs from rounding to nearest.
// launch: grid=2 block=64
// kernel: __fadd_rd_kernel

extern "C" __global__ void __fadd_rd_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float large = (float)(in[i] >> 8), small = (float)((int)(in[i] & 255) - 128) / 256.0f;
    float down = __fadd_rd(large, small), up = __fadd_ru(large, small), zero = __fadd_rz(-large, small);
    out[i] = __float_as_uint(down) ^ (__float_as_uint(up) << 1) ^ (__float_as_uint(zero) << 2);
    out[i + 1024] = (down <= up) + 2 * (down == __fadd_rn(large, small));
}

// === __fmaf_rn
// A fused multiply-add rounds once, a product followed by a sum twice.
// launch: grid=2 block=64
// kernel: __fmaf_rn_kernel

extern "C" __global__ void __fmaf_rn_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffffff), b = (float)(in[i + 1] >> 8), c = -__fmul_rn(a, b);
    float once = __fmaf_rn(a, b, c), twice = __fadd_rn(__fmul_rn(a, b), c);
    out[i] = __float_as_uint(once);
    out[i + 1024] = __float_as_uint(twice) + (once != twice);
    out[i + 2048] = __float_as_uint(__fmaf_rd(a, b, 0.5f)) - __float_as_uint(__fmaf_ru(a, b, 0.5f));
}

// === __fmul_rn
// Products of 24-bit numbers, rounded in each direction.
// launch: grid=2 block=64
// kernel: __fmul_rn_kernel

extern "C" __global__ void __fmul_rn_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffffff), b = (float)((int)in[i + 7] >> 8);
    out[i] = __float_as_uint(__fmul_rn(a, b));
    out[i + 1024] = __float_as_uint(__fmul_rd(a, b)) ^ (__float_as_uint(__fmul_ru(a, b)) * 3);
    out[i + 2048] = __float_as_uint(__fmul_rz(a, b));
}

// === __fsub_rn
// A subtraction that is never fused with the product before it.
// launch: grid=2 block=64
// kernel: __fsub_rn_kernel

extern "C" __global__ void __fsub_rn_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffff), b = (float)(in[i + 3] & 0x1ff), c = (float)(in[i + 5] >> 4);
    out[i] = __float_as_uint(__fsub_rn(__fmul_rn(a, b), c));
    out[i + 1024] = __float_as_uint(__fsub_rd(c, 0.75f)) - __float_as_uint(__fsub_rz(-c, 0.75f));
}

// === __saturatef
// Values are clamped to the range from 0 to 1.
// launch: grid=2 block=64
// kernel: __saturatef_kernel

extern "C" __global__ void __saturatef_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)((int)(in[i] & 1023) - 512) / 256.0f;
    out[i] = __float_as_uint(__saturatef(value));
    out[i + 1024] = __float_as_uint(__saturatef(__int_as_float(0x7f800000)));
}

// === abs
// Absolute values of int, long long and float by one overloaded name.
// launch: grid=2 block=64
// kernel: abs_kernel

extern "C" __global__ void abs_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = (int)in[i];
    long long b = (long long)a * 5;
    float c = (float)(a >> 8);
    out[i] = (unsigned)abs(a) ^ (unsigned)(abs(b) >> 1) ^ __float_as_uint(abs(c));
    out[i + 1024] = (unsigned)(labs((long)a) + llabs(b));
}

// === brev
// Bits in reverse order, of 32 and of 64.
// launch: grid=2 block=64

extern "C" __global__ void brev(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long wide = ((unsigned long long)in[i] << 32) | in[i + 1];
    out[i] = __brev(in[i]);
    out[i + 1024] = (unsigned)(__brevll(wide) >> (i % 2 * 32));
}

// === byte_perm
// Bytes picked from two words by a selector.
// launch: grid=2 block=64

extern "C" __global__ void byte_perm(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __byte_perm(in[i], in[i + 1], in[i + 2] & 0x7777);
    out[i + 1024] = __byte_perm(in[i], 0, 0x0123) + __byte_perm(in[i], in[i + 9], 0x5410);
}

// === clz_neg
// Leading zeros of negative numbers, of zero and of others.
// launch: grid=2 block=64

extern "C" __global__ void clz_neg(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = (int)in[i];
    out[i] = __clz(value) + 100 * __clz(-value) + 10000 * __clz(0) + 1000000 * __clz(value >> (i % 32));
}

// === clzll
// Leading zeros of 64 bits.
// launch: grid=2 block=64

extern "C" __global__ void clzll(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    long long value = (long long)(((unsigned long long)in[i] << 16) >> (i % 64));
    out[i] = __clzll(value) + 100 * __clzll(-value) + 10000 * __clzll(0);
}

// === dp4a
// Sums of products of four bytes, signed and unsigned.
// launch: grid=2 block=64

extern "C" __global__ void dp4a(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = __dp4a((int)in[i], (int)in[i + 1], -5);
    unsigned products = __dp4a(in[i], in[i + 1], 7u);
    out[i] = (unsigned)sum ^ (products << 8);
    out[i + 1024] = (unsigned)__dp2a_lo((int)in[i], (int)in[i + 1], 3) + __dp2a_hi(in[i], in[i + 1], 1u);
}

// === fabsf
// Absolute values of floats and doubles, of negative zero too.
// launch: grid=2 block=64
// kernel: fabsf_kernel

extern "C" __global__ void fabsf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)((int)in[i] >> 8);
    out[i] = __float_as_uint(fabsf(value)) + __float_as_uint(fabsf(-0.0f));
    out[i + 1024] = (unsigned)fabs((double)(int)in[i]) ^ __float_as_uint(fabs(value));
}

// === ffsll
// The place of the lowest bit that is set, in 32 and 64 bits; 0 where none is.
// launch: grid=2 block=64
// kernel: ffsll_kernel

extern "C" __global__ void ffsll_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    long long value = (long long)in[i] << (i % 40);
    out[i] = __ffsll(value) + 100 * __ffs((int)in[i] & -256) + 10000 * __ffsll(0);
}

// === float2int
// Floats to integers in the four ways of rounding.
// launch: grid=2 block=64
// kernel: float2int_kernel

extern "C" __global__ void float2int_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)((int)(in[i] & 0xffff) - 32768) / 8.0f;
    int sum = __float2int_rn(value) + 3 * __float2int_rd(value) + 5 * __float2int_ru(value) + 7 * __float2int_rz(value);
    out[i] = (unsigned)sum;
    out[i + 1024] = (unsigned)__float2int_rz(value * 1024.0f) ^ __float2uint_rn(fabsf(value));
    out[i + 2048] = (unsigned)__float2ll_rd(value * 65536.0f) + (unsigned)(__float2ull_rz(fabsf(value) * 1048576.0f) >> 7);
}

// === fmaf
// Fused multiply-add of floats and of doubles.
// launch: grid=2 block=64
// kernel: fmaf_kernel

extern "C" __global__ void fmaf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffffff), b = (float)((int)in[i + 1] >> 8);
    out[i] = __float_as_uint(fmaf(a, b, -1.0f));
    double wide = fma((double)in[i], (double)in[i + 2] * 1048576.0, 0.5);
    out[i + 1024] = (unsigned)__double_as_longlong(wide) ^ __float_as_uint(fmaf(b, b, a));
}

// === funnel
// Shifts of 64 bits that keep 32, with shifts of more than 31.
// launch: grid=2 block=64

extern "C" __global__ void funnel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned low = in[i], high = in[i + 1], shift = in[i + 2] % 48;
    out[i] = __funnelshift_l(low, high, shift) ^ (__funnelshift_r(low, high, shift) * 3);
    out[i + 1024] = __funnelshift_lc(low, high, shift) ^ (__funnelshift_rc(low, high, shift) * 5);
}

// === int2float
// Integers to floats in the four ways of rounding.
// launch: grid=2 block=64
// kernel: int2float_kernel

extern "C" __global__ void int2float_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = (int)in[i];
    out[i] = __float_as_uint(__int2float_rn(value)) ^ (__float_as_uint(__int2float_rd(value)) * 3);
    out[i + 1024] = __float_as_uint(__int2float_ru(value)) ^ (__float_as_uint(__int2float_rz(value)) * 3);
    out[i + 2048] = __float_as_uint(__uint2float_rn(in[i])) ^ __float_as_uint(__ll2float_rz((long long)value * in[i + 1]));
}

// === isinf
// Infinite, finite and neither.
// launch: grid=2 block=64
// kernel: isinf_kernel

extern "C" __global__ void isinf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i % 3 == 0 ? __int_as_float(0x7f800000) : i % 3 == 1 ? __int_as_float(0xff800000) : (float)in[i];
    double wide = i % 2 ? 1.0e300 * (double)value : (double)in[i];
    out[i] = (isinf(value) ? 1 : 0) + (isfinite(value) ? 2 : 0) + (isnan(value - value) ? 4 : 0) + (isinf(wide) ? 8 : 0);
    out[i + 1024] = (signbit(value) ? 1 : 0) + (value > 0.0f) * 2;
}

// === more_dpx_halves
// Minima and maxima of three and of sums, in each half of a word.
// launch: grid=2 block=64

extern "C" __global__ void more_dpx_halves(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i], b = in[i + 1], c = in[i + 2], small = __vsub2(a & 0x3fff3fff, 0x20002000), less = __vsub2(b & 0x3fff3fff, 0x20002000);
    out[i] = __vimin3_s16x2(a, b, c) ^ (__vimax3_s16x2(a, b, c) >> 1) ^ (__vimin3_s16x2_relu(a, b, c) << 1);
    out[i + 1024] = __vimax3_u16x2(a, b, c) ^ __vimax_s16x2_relu(a, b) ^ (__vimin_s16x2_relu(a, b) >> 1);
    out[i + 2048] = __viaddmax_s16x2_relu(small, less, c) ^ (__viaddmax_u16x2(a & 0x7fff7fff, b & 0x7fff7fff, c) >> 1);
    bool high, low;
    unsigned least = __vibmin_s16x2(a, b, &high, &low), picked = high + 2 * low;
    out[i + 3072] = least + 3 * __vibmax_u16x2(b, c, &high, &low);
    out[i + 3200] = picked + 4 * high + 8 * low;
}

// === more_simd_bytes
// Sums, differences and comparisons in each byte or half of a word.
// launch: grid=2 block=64

extern "C" __global__ void more_simd_bytes(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i], b = in[i + 1];
    out[i] = __vadd2(a, b) ^ (__vsub4(a, b) >> 1) ^ (__vaddss2(a, b) << 1) ^ (__vsubus4(a, b) >> 2);
    out[i + 1024] = __vabs2(a & 0x7fff7fff) ^ __vabsdiffu4(a, b) ^ (__vavgu4(a, b) << 3) ^ (__vhaddu2(a, b) >> 3);
    out[i + 2048] = __vcmpeq4(a & 0x01010101, b & 0x01010101) ^ __vcmpgts2(a, b) ^ __vsetltu4(a, b) ^ (__vsads4(a, b) << 8) ^ __vneg2(a);
    out[i + 3072] = __sad((int)a, (int)b, 5u) ^ __usad(a, b, 7u) ^ (unsigned)__hadd((int)a, (int)b) ^ __urhadd(a, b);
}

// === mul24
// Products of the low 24 bits, signed and unsigned.
// launch: grid=2 block=64
// kernel: mul24_kernel

extern "C" __global__ void mul24_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned)__mul24((int)in[i], (int)in[i + 1]);
    out[i + 1024] = __umul24(in[i], in[i + 1]);
}

// === nan
// NaNs are made and known; what bits they have is not looked at.
// launch: grid=2 block=64
// kernel: nan_kernel

extern "C" __global__ void nan_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i % 2 ? nanf("") : (float)in[i];
    double wide = i % 4 < 2 ? nan("") : (double)in[i];
    out[i] = (isnan(value) ? 1 : 0) + (isnan(wide) ? 2 : 0) + (value != value) * 4 + (wide < 5.0) * 8 + !(value >= 0.0f) * 16;
}

// === popcll
// How many bits are set, of 32 and of 64.
// launch: grid=2 block=64

extern "C" __global__ void popcll(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __popc(in[i]) + 100 * __popcll(((unsigned long long)in[i] << 20) | 7) + 10000 * __popc(0);
}

// === rsqrtf
// One divided by the square root, within a tolerance.
// launch: grid=2 block=64
// kernel: rsqrtf_kernel

extern "C" __global__ void rsqrtf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)(in[i] | 1);
    float root = rsqrtf(value), again = 1.0f / sqrtf(value);
    out[i] = fabsf(root - again) <= again * 1.0e-6f;
    out[i + 1024] = fabs(rsqrt((double)value) * sqrt((double)value) - 1.0) < 1.0e-14;
    out[i + 2048] = __float_as_uint(rsqrtf(__int_as_float(0x7f800000)));
}

// === sqrtf
// Square roots, correctly rounded.
// launch: grid=2 block=64
// kernel: sqrtf_kernel

extern "C" __global__ void sqrtf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)in[i];
    out[i] = __float_as_uint(sqrtf(value)) ^ (__float_as_uint(__fsqrt_rd(value)) * 3);
    out[i + 1024] = (unsigned)(__double_as_longlong(sqrt((double)in[i])) >> 9) + __float_as_uint(sqrtf(-0.0f));
}

// === umulhi
// The high halves of products.
// launch: grid=2 block=64
// kernel: umulhi_kernel

extern "C" __global__ void umulhi_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long a = ((unsigned long long)in[i] << 32) | in[i + 1], b = ((unsigned long long)in[i + 2] << 32) | in[i + 3];
    out[i] = __umulhi(in[i], in[i + 1]) ^ (unsigned)__mulhi((int)in[i], (int)in[i + 1]);
    out[i + 1024] = (unsigned)(__umul64hi(a, b) >> 17) ^ (unsigned)__mul64hi((long long)a, (long long)b);
}

// === kinds_of_floats
// Questions about floats and doubles by their names of the C library.
// launch: grid=2 block=64

extern "C" __global__ void kinds_of_floats(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = __uint_as_float(i % 3 == 0 ? in[i] : i % 3 == 1 ? in[i] & 0x80000000 | 0x7f800000 : in[i] | 0x7fc00000);
    double d = f;
    out[i] = (__isnanf(f) != 0) + 2 * (__isinff(f) != 0) + 4 * (__finitef(f) != 0) + 8 * (__signbitf(f) != 0);
    out[i + 1024] = (__isnan(d) != 0) + 2 * (__isinf(d) != 0) + 4 * (__finite(d) != 0) + 8 * (__isnan(d) ? 0 : __signbit(d) != 0);
}

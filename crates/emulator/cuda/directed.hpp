// Arithmetic and conversions rounded in a given direction: _rn to nearest, _rd down, _ru up, _rz to zero. The host rounds as its own mode says.
#pragma once

enum EmulatedRounding { EMULATED_ROUND_NEAREST, EMULATED_ROUND_DOWN, EMULATED_ROUND_UP, EMULATED_ROUND_TO_ZERO };
#if defined(__x86_64__)
static __forceinline__ unsigned emulated_rounding() {
    return __builtin_ia32_stmxcsr();
}
static __forceinline__ void emulated_set_rounding(unsigned state) {
    __builtin_ia32_ldmxcsr(state);
}
constexpr unsigned emulated_rounding_bits[] = {0, 0x2000, 0x4000, 0x6000};
constexpr unsigned emulated_rounding_mask = 0x6000;
#elif defined(__aarch64__)
static __forceinline__ unsigned emulated_rounding() {
    return __builtin_aarch64_get_fpcr();
}
static __forceinline__ void emulated_set_rounding(unsigned state) {
    __builtin_aarch64_set_fpcr(state);
}
constexpr unsigned emulated_rounding_bits[] = {0, 0x800000, 0x400000, 0xc00000};
constexpr unsigned emulated_rounding_mask = 0xc00000;
#else
#error "How this machine rounds is not known here"
#endif

// Volatile, so that the compiler computes between the two changes of the mode and not before.
template <EmulatedRounding mode, class To, class From, class Operation>
EMULATOR static To emulated_in_mode(Operation operation, From a, From b, From c) {
    volatile From x = a, y = b, z = c;
    const unsigned before = emulated_rounding();
    emulated_set_rounding((before & ~emulated_rounding_mask) | emulated_rounding_bits[mode]);
    volatile To result = operation(x, y, z);
    emulated_set_rounding(before);
    return result;
}
template <EmulatedRounding mode, class To, class From, class Operation>
static __forceinline__ To emulated_rounded(Operation operation, From a, From b = 0, From c = 0) {
    if constexpr (mode == EMULATED_ROUND_NEAREST) {
        return operation(a, b, c);
    } else {
        return emulated_in_mode<mode, To, From>(operation, a, b, c);
    }
}

#define EMULATED_ROUNDINGS(define, name, ...)                           \
    define(name##_rn, EMULATED_ROUND_NEAREST, __VA_ARGS__)              \
    define(name##_rd, EMULATED_ROUND_DOWN, __VA_ARGS__)                 \
    define(name##_ru, EMULATED_ROUND_UP, __VA_ARGS__)                   \
    define(name##_rz, EMULATED_ROUND_TO_ZERO, __VA_ARGS__)
#define EMULATED_OPERATION(type, result) [](type a, type b, type c) __attribute__((always_inline)) { return (void)b, (void)c, result; }
#define EMULATED_DIRECTED_ONE(name, mode, type, result)                 \
    CUDA_ARITHMETIC type name(type a) {                                   \
        return emulated_rounded<mode, type, type>(EMULATED_OPERATION(type, result), a); \
    }
#define EMULATED_DIRECTED_TWO(name, mode, type, result)                 \
    CUDA_ARITHMETIC type name(type a, type b) {                           \
        return emulated_rounded<mode, type, type>(EMULATED_OPERATION(type, result), a, b); \
    }
#define EMULATED_DIRECTED_THREE(name, mode, type, result)               \
    CUDA_ARITHMETIC type name(type a, type b, type c) {                   \
        return emulated_rounded<mode, type, type>(EMULATED_OPERATION(type, result), a, b, c); \
    }
EMULATED_ROUNDINGS(EMULATED_DIRECTED_TWO, __fadd, float, a + b)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_TWO, __fsub, float, a - b)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_TWO, __fmul, float, a *b)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_TWO, __fdiv, float, a / b)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_ONE, __frcp, float, 1.0f / a)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_ONE, __fsqrt, float, __builtin_sqrtf(a))
EMULATED_ROUNDINGS(EMULATED_DIRECTED_THREE, __fmaf, float, __builtin_fmaf(a, b, c))
EMULATED_ROUNDINGS(EMULATED_DIRECTED_THREE, __fmaf_ieee, float, __builtin_fmaf(a, b, c))
EMULATED_ROUNDINGS(EMULATED_DIRECTED_TWO, __dadd, double, a + b)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_TWO, __dsub, double, a - b)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_TWO, __dmul, double, a *b)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_TWO, __ddiv, double, a / b)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_ONE, __drcp, double, 1.0 / a)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_ONE, __dsqrt, double, __builtin_sqrt(a))
EMULATED_ROUNDINGS(EMULATED_DIRECTED_THREE, __fma, double, __builtin_fma(a, b, c))

#define EMULATED_DIRECTED_CONVERSION(name, mode, to, from)              \
    CUDA_ARITHMETIC to name(from a) {                                     \
        return emulated_rounded<mode, to, from>([](from a, from, from) __attribute__((always_inline)) { return (to)a; }, a); \
    }
EMULATED_ROUNDINGS(EMULATED_DIRECTED_CONVERSION, __double2float, float, double)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_CONVERSION, __int2float, float, int)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_CONVERSION, __uint2float, float, unsigned)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_CONVERSION, __ll2float, float, long long)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_CONVERSION, __ull2float, float, unsigned long long)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_CONVERSION, __ll2double, double, long long)
EMULATED_ROUNDINGS(EMULATED_DIRECTED_CONVERSION, __ull2double, double, unsigned long long)
CUDA_ARITHMETIC double __int2double_rn(int a) {
    return a;
}
CUDA_ARITHMETIC double __uint2double_rn(unsigned a) {
    return a;
}
CUDA_ARITHMETIC float __frsqrt_rn(float a) {
    return (float)(1.0 / __builtin_sqrt((double)a));
}

// ---- to whole numbers: what is too large becomes the nearest number of the type

// A fraction is cut off.
template <class To, class From>
static __forceinline__ constexpr To emulated_whole(From whole) {
    constexpr bool has_sign = (To)-1 < (To)0;
    constexpr To lowest = has_sign ? (To)((To)1 << (8 * sizeof(To) - 1)) : 0;
    // One above the highest, a power of two, which every float type holds.
    constexpr From end = (From)(1ull << (8 * sizeof(To) - 1)) * (has_sign ? 1 : 2);
    if (whole != whole) {
        return sizeof(To) == 8 || sizeof(From) == 8 ? (To)((To)1 << (8 * sizeof(To) - 1)) : 0;
    }
    return whole <= (From)lowest ? lowest : whole >= end ? (To)~lowest : (To)whole;
}
#define EMULATED_TO_WHOLE(name, to, from, round_nearest, round_down, round_up, round_to_zero) \
    CUDA_ARITHMETIC to name##_rn(from a) {                                \
        return emulated_whole<to>(round_nearest(a));                    \
    }                                                                   \
    CUDA_ARITHMETIC to name##_rd(from a) {                                \
        return emulated_whole<to>(round_down(a));                       \
    }                                                                   \
    CUDA_ARITHMETIC to name##_ru(from a) {                                \
        return emulated_whole<to>(round_up(a));                         \
    }                                                                   \
    CUDA_ARITHMETIC to name##_rz(from a) {                                \
        return emulated_whole<to>(round_to_zero(a));                    \
    }
#define EMULATED_FLOAT_TO_WHOLE(name, to) EMULATED_TO_WHOLE(name, to, float, __builtin_rintf, __builtin_floorf, __builtin_ceilf, __builtin_truncf)
#define EMULATED_DOUBLE_TO_WHOLE(name, to) EMULATED_TO_WHOLE(name, to, double, __builtin_rint, __builtin_floor, __builtin_ceil, __builtin_trunc)
EMULATED_FLOAT_TO_WHOLE(__float2int, int)
EMULATED_FLOAT_TO_WHOLE(__float2uint, unsigned)
EMULATED_FLOAT_TO_WHOLE(__float2ll, long long)
EMULATED_FLOAT_TO_WHOLE(__float2ull, unsigned long long)
EMULATED_DOUBLE_TO_WHOLE(__double2int, int)
EMULATED_DOUBLE_TO_WHOLE(__double2uint, unsigned)
EMULATED_DOUBLE_TO_WHOLE(__double2ll, long long)
EMULATED_DOUBLE_TO_WHOLE(__double2ull, unsigned long long)

// cvt: from one type of PTX to another.
#pragma once

namespace emulated_ptx {
// What a type is computed in before it is converted: a 16-bit float as float.
template <class T>
struct Computed {
    typedef T type;
};
template <int mantissa>
struct Computed<Small<mantissa>> {
    typedef float type;
};
template <class T>
using float_or_double = typename Computed<T>::type;

// Modes 0 to 3: to nearest, down, up, to zero. 4 to 7: the same, to a whole number.
template <int mode, class T>
static __forceinline__ T whole(T a) {
    constexpr int direction = mode & 3;
    const double value = a;
    return (T)(direction == 0 ? __builtin_rint(value) : direction == 1 ? __builtin_floor(value) : direction == 2 ? __builtin_ceil(value) : __builtin_trunc(value));
}
// A number too large is the largest; what is no number is 0, or for 64 bits the highest bit.
template <class To>
static __forceinline__ To to_integer(double a, bool wide) {
    constexpr To least = has_sign<To> ? (To)((u64)1 << (8 * sizeof(To) - 1)) : (To)0;
    constexpr double end = (double)(1ull << (8 * sizeof(To) - 1)) * (has_sign<To> ? 1 : 2);
    if (a != a) {
        return wide || sizeof(To) == 8 ? (To)((u64)1 << (8 * sizeof(To) - 1)) : (To)0;
    }
    return a >= end ? (To)~least : a <= (double)least ? least : (To)a;
}
template <class To, class From, int mode>
static __forceinline__ To to_float(From a) {
    if constexpr (is_small<To>) {
        const double exact = is_float<From> ? (double)a : EmulatedSmall<10>::whole(a);
        To result;
        result.bits = To::Format::encode(exact, (EmulatedRounding)(mode & 3));
        return result;
    } else {
        return (To)a;
    }
}
template <class To, class From, int mode>
EMULATOR static To in_mode(From a) {
    volatile From from = a;
    const RoundingMode here(mode);
    volatile To result = (To)from;
    return result;
}
template <class To, class From, int mode, bool relu>
static __forceinline__ u64 convert(u64 bits) {
    const From a = as<From>(bits);
    if constexpr (!is_float<To> && !is_float<From>) {
        return raw((To)a);
    } else if constexpr (!is_float<To>) {
        return raw(to_integer<To>((double)whole<mode, double>((double)(float_or_double<From>)a), __is_same(From, double)));
    } else if constexpr (mode >= 4) {
        return result_of(to_float<To, double, 0>(whole<mode, double>((double)(float_or_double<From>)a)));
    } else if constexpr (mode != 0 && !is_small<To>) {
        return raw(in_mode<To, float_or_double<From>, mode>((float_or_double<From>)a));
    } else {
        const To result = to_float<To, float_or_double<From>, mode>((float_or_double<From>)a);
        if constexpr (__is_same(From, double)) {
            return raw(result);
        }
        return relu && !(result > 0) && result == result ? 0 : result_of(result);
    }
}
// cvt.pack: the second number lowest, then the first, then what a third operand has.
template <int bits, bool is_signed>
static __forceinline__ u32 limited_to(u64 value) {
    constexpr s32 most = (1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    const s32 a = (s32)value;
    return (u32)(a > most ? most : a < least ? least : a) & ((1u << bits) - 1);
}
template <int bits, bool is_signed>
static __forceinline__ u64 pack(u64 a, u64 b, u64 c = 0) {
    return (bits == 16 ? 0 : (u32)c << (2 * bits)) | limited_to<bits, is_signed>(a) << bits | limited_to<bits, is_signed>(b);
}
// Ten bits of mantissa, to nearest, halves away from zero.
static __forceinline__ u64 to_tf32(u64 a) {
    return (a & 0x7f800000u) == 0x7f800000u ? (u32)a : (u32)(a + 0x1000) & 0xffffe000u;
}
} // namespace emulated_ptx

// PTX's types.
#pragma once

typedef unsigned char emulated_u8;
typedef unsigned short emulated_u16;

namespace emulated_ptx {
typedef emulated_u8 u8;
typedef emulated_u16 u16;
typedef emulated_u32 u32;
typedef emulated_u64 u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long s64;
typedef float f32;
typedef double f64;
typedef bool pred;

// A 16-bit float by its bits, which computes as float and rounds once.
template <int mantissa>
struct Small {
    typedef EmulatedSmall<mantissa> Format;
    u16 bits;
    Small() = default;
    __forceinline__ constexpr explicit Small(double value) : bits(Format::encode(value)) {
    }
    __forceinline__ constexpr operator float() const {
        return Format::decode(bits);
    }
};
typedef Small<10> f16;
typedef Small<7> bf16;
template <class T>
struct Pair {
    T x, y;
    friend __forceinline__ Pair operator+(Pair a, Pair b) {
        return {T((float)a.x + (float)b.x), T((float)a.y + (float)b.y)};
    }
};
typedef Pair<f16> f16x2;
typedef Pair<bf16> bf16x2;
// For mma: a float of which 10 bits of mantissa count.
struct tf32 {};

template <class T>
constexpr bool is_small = false;
template <int mantissa>
constexpr bool is_small<Small<mantissa>> = true;
template <class T>
constexpr bool is_float = __is_same(T, float) || __is_same(T, double) || is_small<T>;
template <class T>
constexpr bool has_sign = !is_float<T> && (T)-1 < (T)0;

template <unsigned bytes>
struct Bits;
template <>
struct Bits<1> {
    typedef u8 type;
};
template <>
struct Bits<2> {
    typedef u16 type;
};
template <>
struct Bits<4> {
    typedef u32 type;
};
template <>
struct Bits<8> {
    typedef u64 type;
};

template <class T>
static __forceinline__ T as(u64 bits) {
    return __builtin_bit_cast(T, (typename Bits<sizeof(T)>::type)bits);
}
template <class T>
static __forceinline__ u64 raw(T value) {
    if constexpr (__is_same(T, s8) || __is_same(T, s16) || __is_same(T, s32) || __is_same(T, s64)) {
        return (u64)(s64)value;
    } else {
        return __builtin_bit_cast(typename Bits<sizeof(T)>::type, value);
    }
}
} // namespace emulated_ptx

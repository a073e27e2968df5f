// PTX's instructions for integers.
#pragma once

namespace emulated_ptx {
// A type of twice the bits.
template <class T>
struct Wide;
template <>
struct Wide<u16> {
    typedef u32 type;
};
template <>
struct Wide<s16> {
    typedef s32 type;
};
template <>
struct Wide<u32> {
    typedef u64 type;
};
template <>
struct Wide<s32> {
    typedef s64 type;
};
template <>
struct Wide<u64> {
    typedef unsigned __int128 type;
};
template <>
struct Wide<s64> {
    typedef __int128 type;
};
template <class T>
constexpr unsigned width = 8 * sizeof(T);

template <class T>
static __forceinline__ u64 mul_wide(u64 a, u64 b) {
    typedef typename Wide<T>::type Twice;
    return (u64)((Twice)as<T>(a) * as<T>(b));
}
template <class T>
static __forceinline__ u64 mul_hi(u64 a, u64 b) {
    typedef typename Wide<T>::type Twice;
    return raw((T)(((Twice)as<T>(a) * as<T>(b)) >> width<T>));
}
template <class T>
static __forceinline__ u64 mul_lo(u64 a, u64 b) {
    return raw((T)(a * b));
}
template <class T>
static __forceinline__ u64 mad_wide(u64 a, u64 b, u64 c) {
    return mul_wide<T>(a, b) + c;
}
template <class T>
static __forceinline__ u64 mad_hi(u64 a, u64 b, u64 c) {
    return raw((T)(mul_hi<T>(a, b) + c));
}
template <class T>
static __forceinline__ u64 mad_lo(u64 a, u64 b, u64 c) {
    return raw((T)(a * b + c));
}
// 24 of 32 bits count.
template <class T>
static __forceinline__ s64 of_24(u64 a) {
    return has_sign<T> ? (s64)((s32)((u32)a << 8) >> 8) : (s64)(a & 0xffffff);
}
template <class T>
static __forceinline__ u64 mul24_lo(u64 a, u64 b) {
    return (u32)(of_24<T>(a) * of_24<T>(b));
}
template <class T>
static __forceinline__ u64 mul24_hi(u64 a, u64 b) {
    return (u32)((of_24<T>(a) * of_24<T>(b)) >> 16);
}
template <class T>
static __forceinline__ u64 mad24_lo(u64 a, u64 b, u64 c) {
    return (u32)(mul24_lo<T>(a, b) + c);
}
template <class T>
static __forceinline__ u64 mad24_hi(u64 a, u64 b, u64 c) {
    return (u32)(mul24_hi<T>(a, b) + c);
}
// .sat between integers.
template <class To, class From>
static __forceinline__ u64 clamp(u64 bits) {
    const __int128 a = as<From>(bits);
    const __int128 least = has_sign<To> ? -((__int128)1 << (8 * sizeof(To) - 1)) : 0;
    const __int128 most = ((__int128)1 << (8 * sizeof(To) - (has_sign<To> ? 1 : 0))) - 1;
    return raw((To)(a < least ? least : a > most ? most : a));
}
template <class T>
static __forceinline__ u64 add_sat(u64 a, u64 b) {
    return clamp<T, s64>((s64)as<T>(a) + (s64)as<T>(b));
}
template <class T>
static __forceinline__ u64 sub_sat(u64 a, u64 b) {
    return clamp<T, s64>((s64)as<T>(a) - (s64)as<T>(b));
}
// What a GPU answers where C++ has no answer.
template <class T>
static __forceinline__ u64 rem(u64 a, u64 b) {
    const T x = as<T>(a), y = as<T>(b);
    if (y == 0) {
        return raw((T)-1);
    }
    if constexpr (has_sign<T>) {
        if (y == (T)-1) {
            return 0;
        }
    }
    return raw((T)(x % y));
}
template <class T>
static __forceinline__ u64 sad(u64 a, u64 b, u64 c) {
    const T x = as<T>(a), y = as<T>(b);
    return raw((T)(c + (x < y ? (u64)y - (u64)x : (u64)x - (u64)y)));
}
template <class T>
static __forceinline__ u64 shl(u64 a, u64 b) {
    return (u32)b >= width<T> ? 0 : raw((T)(a << (u32)b));
}
template <class T>
static __forceinline__ u64 shr(u64 a, u64 b) {
    const T x = as<T>(a);
    if ((u32)b >= width<T>) {
        return raw((T)(x < 0 ? -1 : 0));
    }
    return raw((T)(x >> (u32)b));
}
template <class A, class B>
static __forceinline__ u64 dp4a(u64 a, u64 b, u64 c) {
    u32 sum = (u32)c;
    for (unsigned at = 0; at < 32; at += 8) {
        const s32 x = has_sign<A> ? (s32)(s8)(a >> at) : (s32)(u8)(a >> at), y = has_sign<B> ? (s32)(s8)(b >> at) : (s32)(u8)(b >> at);
        sum += (u32)(x * y);
    }
    return sum;
}
template <class A, class B>
static __forceinline__ u64 dp2a_lo(u64 a, u64 b, u64 c) {
    u32 sum = (u32)c;
    for (unsigned at = 0; at < 2; at++) {
        const s32 x = has_sign<A> ? (s32)(s16)(a >> (16 * at)) : (s32)(u16)(a >> (16 * at)), y = has_sign<B> ? (s32)(s8)(b >> (8 * at)) : (s32)(u8)(b >> (8 * at));
        sum += (u32)(x * y);
    }
    return sum;
}
template <class A, class B>
static __forceinline__ u64 dp2a_hi(u64 a, u64 b, u64 c) {
    return dp2a_lo<A, B>(a, (u32)b >> 16, c);
}
#define EMULATED_VIDEO(name, operation)                                     \
    template <class R, class A, class B>                                    \
    static __forceinline__ u64 name(u64 a, u64 b) {                         \
        const s64 x = (s64)as<A>(a), y = (s64)as<B>(b);                     \
        return (u32)(operation);                                            \
    }
#define EMULATED_VIDEOS(name, operation)                                    \
    EMULATED_VIDEO(name, operation)                                         \
    EMULATED_VIDEO(name##_sat, (clamp<R, s64>(operation)))
EMULATED_VIDEOS(vadd, x + y)
EMULATED_VIDEOS(vsub, x - y)
EMULATED_VIDEOS(vabsdiff, x < y ? y - x : x - y)
EMULATED_VIDEOS(vmin, x < y ? x : y)
EMULATED_VIDEOS(vmax, x < y ? y : x)

// ---- numbers of several registers: the carry goes from one instruction to the next

template <class T, bool in, bool out>
static __forceinline__ u64 add_carry(u64 a, u64 b, emulated_u32 &carry) {
    const unsigned __int128 sum = (unsigned __int128)as<T>(a) + as<T>(b) + (in ? carry : 0);
    if (out) {
        carry = (emulated_u32)(sum >> width<T>) & 1;
    }
    return raw((T)sum);
}
template <class T, bool in, bool out>
static __forceinline__ u64 sub_carry(u64 a, u64 b, emulated_u32 &borrow) {
    const unsigned __int128 rest = (unsigned __int128)as<T>(a) - as<T>(b) - (in ? borrow : 0);
    if (out) {
        borrow = (emulated_u32)(rest >> width<T>) & 1;
    }
    return raw((T)rest);
}
template <class T, bool in, bool out>
static __forceinline__ u64 mad_lo_carry(u64 a, u64 b, u64 c, emulated_u32 &carry) {
    return add_carry<T, in, out>(mul_lo<T>(a, b), c, carry);
}
template <class T, bool in, bool out>
static __forceinline__ u64 mad_hi_carry(u64 a, u64 b, u64 c, emulated_u32 &carry) {
    typedef typename Bits<sizeof(T)>::type Unsigned;
    return add_carry<Unsigned, in, out>(mul_hi<T>(a, b), c, carry);
}
} // namespace emulated_ptx

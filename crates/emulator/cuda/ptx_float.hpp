// PTX's arithmetic and comparisons of all types.
#pragma once

namespace emulated_ptx {
typedef u64 One(u64);
typedef u64 Two(u64, u64);
typedef u64 Three(u64, u64, u64);

// What is no number has one form on a GPU.
template <class T>
constexpr u64 nothing = __is_same(T, double) ? 0x7ff8000000000000ull : __is_same(T, float) ? 0x7fffffffull : 0x7fffull;
template <class T>
static __forceinline__ u64 result_of(T value) {
    if constexpr (__is_same(T, float)) {
        return value != value ? nothing<T> : raw(value);
    } else {
        return raw(value);
    }
}
#define EMULATED_OF_TWO(name, operation)                                \
    template <class T>                                                  \
    static __forceinline__ u64 name(u64 first, u64 second) {            \
        const T a = as<T>(first), b = as<T>(second);                    \
        return result_of((T)(operation));                                   \
    }
EMULATED_OF_TWO(add, a + b)
EMULATED_OF_TWO(sub, a - b)
EMULATED_OF_TWO(mul, a *b)
template <class T>
static __forceinline__ u64 div(u64 first, u64 second) {
    const T a = as<T>(first), b = as<T>(second);
    if constexpr (!is_float<T>) {
        // What a GPU answers where C++ has no answer.
        if (b == 0) {
            return raw((T)-1);
        }
        if constexpr (has_sign<T>) {
            if (b == (T)-1) {
                return raw((T)(0 - (u64)a));
            }
        }
    }
    return result_of((T)(a / b));
}
template <class T>
static __forceinline__ u64 neg(u64 a) {
    if constexpr (is_float<T>) {
        return !__is_same(T, double) && as<T>(a) != as<T>(a) ? nothing<T> : raw(as<T>(a)) ^ 1ull << (8 * sizeof(T) - 1);
    } else {
        return raw((T)(0 - a));
    }
}
template <class T>
static __forceinline__ u64 abs(u64 a) {
    if constexpr (is_float<T>) {
        return !__is_same(T, double) && as<T>(a) != as<T>(a) ? nothing<T> : raw(as<T>(a)) & ~(1ull << (8 * sizeof(T) - 1));
    } else {
        return as<T>(a) < 0 ? raw((T)(0 - a)) : raw(as<T>(a));
    }
}
template <class T>
static __forceinline__ u64 copysign(u64 a, u64 b) {
    const u64 sign = 1ull << (8 * sizeof(T) - 1);
    return (raw(as<T>(b)) & ~sign) | (a & sign);
}
template <class T>
static __forceinline__ u64 fma(u64 first, u64 second, u64 third) {
    const T a = as<T>(first), b = as<T>(second), c = as<T>(third);
    if constexpr (__is_same(T, float)) {
        return result_of(__builtin_fmaf(a, b, c));
    } else if constexpr (__is_same(T, double)) {
        return raw(__builtin_fma(a, b, c));
    } else {
        return T::Format::fma((float)a, (float)b, (float)c);
    }
}
// The other where one is no number; -0 is less than 0.
template <class T, bool greatest>
static __forceinline__ u64 chosen(u64 first, u64 second) {
    const T a = as<T>(first), b = as<T>(second);
    if constexpr (is_float<T>) {
        if (a != a && b != b) {
            return nothing<T>;
        }
        if (a == b) {
            return greatest ? raw(a) & raw(b) : raw(a) | raw(b);
        }
        return raw((greatest ? a > b : a < b) || b != b ? a : b);
    } else {
        return raw((greatest ? a > b : a < b) ? a : b);
    }
}
template <class T>
static __forceinline__ u64 min(u64 a, u64 b) {
    return chosen<T, false>(a, b);
}
template <class T>
static __forceinline__ u64 max(u64 a, u64 b) {
    return chosen<T, true>(a, b);
}
template <class T, Two *choose>
static __forceinline__ u64 nan_first(u64 a, u64 b) {
    const T x = as<T>(a), y = as<T>(b);
    return x != x || y != y ? nothing<T> : choose(a, b);
}
template <class T>
static __forceinline__ u64 min_nan(u64 a, u64 b) {
    return nan_first<T, min<T>>(a, b);
}
template <class T>
static __forceinline__ u64 max_nan(u64 a, u64 b) {
    return nan_first<T, max<T>>(a, b);
}
template <class T, Two *choose>
static __forceinline__ u64 with_sign(u64 a, u64 b) {
    const u64 sign = 1ull << (8 * sizeof(T) - 1);
    const u64 size = choose(abs<T>(a), abs<T>(b));
    return as<T>(size) != as<T>(size) ? size : (size & ~sign) | ((a ^ b) & sign);
}
template <class T>
static __forceinline__ u64 min_xorsign(u64 a, u64 b) {
    return with_sign<T, min<T>>(a, b);
}
template <class T>
static __forceinline__ u64 max_xorsign(u64 a, u64 b) {
    return with_sign<T, max<T>>(a, b);
}
template <class T>
static __forceinline__ u64 min_nan_xorsign(u64 a, u64 b) {
    return with_sign<T, min_nan<T>>(a, b);
}
template <class T>
static __forceinline__ u64 max_nan_xorsign(u64 a, u64 b) {
    return with_sign<T, max_nan<T>>(a, b);
}

// Functions whose last bits CUDA leaves open, but for rcp and sqrt with a rounding.
#define EMULATED_OF_ONE(name, of_float, of_double)                      \
    template <class T>                                                  \
    static __forceinline__ u64 name(u64 first) {                        \
        const T a = as<T>(first);                                       \
        if constexpr (__is_same(T, double)) {                           \
            return raw((T)(of_double));                                 \
        } else {                                                        \
            return result_of((T)(of_float));                               \
        }                                                               \
    }
EMULATED_OF_ONE(rcp, 1.0f / a, 1.0 / a)
EMULATED_OF_ONE(sqrt, __builtin_sqrtf(a), __builtin_sqrt(a))
EMULATED_OF_ONE(rsqrt, 1.0 / __builtin_sqrt((double)a), 1.0 / __builtin_sqrt(a))
EMULATED_OF_ONE(sin, __builtin_sinf(a), __builtin_sin(a))
EMULATED_OF_ONE(cos, __builtin_cosf(a), __builtin_cos(a))
EMULATED_OF_ONE(lg2, __builtin_log2f(a), __builtin_log2(a))
EMULATED_OF_ONE(ex2, __builtin_exp2f(a), __builtin_exp2(a))
EMULATED_OF_ONE(tanh, __builtin_tanhf(a), __builtin_tanh(a))

template <class T>
static __forceinline__ bool testp_finite(u64 a) {
    return __builtin_isfinite(as<T>(a));
}
template <class T>
static __forceinline__ bool testp_infinite(u64 a) {
    return __builtin_isinf(as<T>(a));
}
template <class T>
static __forceinline__ bool testp_number(u64 a) {
    return !__builtin_isnan(as<T>(a));
}
template <class T>
static __forceinline__ bool testp_notanumber(u64 a) {
    return __builtin_isnan(as<T>(a));
}
template <class T>
static __forceinline__ bool testp_normal(u64 a) {
    return __builtin_isnormal(as<T>(a)) || as<T>(a) == 0;
}
template <class T>
static __forceinline__ bool testp_subnormal(u64 a) {
    return __builtin_isfinite(as<T>(a)) && !__builtin_isnormal(as<T>(a)) && as<T>(a) != 0;
}

// ---- what a modifier adds to an instruction

// .ftz: a subnormal float is zero.
static __forceinline__ u64 flush(u64 a) {
    return (a & 0x7f800000u) == 0 ? a & 0x80000000u : (u32)a;
}
template <One *of>
static __forceinline__ u64 flushed(u64 a) {
    return flush(of(flush(a)));
}
template <Two *of>
static __forceinline__ u64 flushed(u64 a, u64 b) {
    return flush(of(flush(a), flush(b)));
}
template <Three *of>
static __forceinline__ u64 flushed(u64 a, u64 b, u64 c) {
    return flush(of(flush(a), flush(b), flush(c)));
}
// .sat: between 0 and 1, and NaN is 0.
template <class T>
static __forceinline__ u64 saturate(u64 bits) {
    const T a = as<T>(bits);
    return !(a > 0) ? 0 : a > 1 ? raw((T)1.0) : raw(a);
}
template <class T, One *of>
static __forceinline__ u64 saturated(u64 a) {
    return saturate<T>(of(a));
}
template <class T, Two *of>
static __forceinline__ u64 saturated(u64 a, u64 b) {
    return saturate<T>(of(a, b));
}
template <class T, Three *of>
static __forceinline__ u64 saturated(u64 a, u64 b, u64 c) {
    return saturate<T>(of(a, b, c));
}
template <class T>
static __forceinline__ u64 fma_relu(u64 a, u64 b, u64 c) {
    const u64 bits = fma<T>(a, b, c);
    return as<T>(bits) <= 0 ? 0 : bits;
}
template <Two *of>
static __forceinline__ u64 pairs2(u64 a, u64 b) {
    return of(a & 0xffff, b & 0xffff) | of(a >> 16 & 0xffff, b >> 16 & 0xffff) << 16;
}
template <Three *of>
static __forceinline__ u64 pairs3(u64 a, u64 b, u64 c) {
    return of(a & 0xffff, b & 0xffff, c & 0xffff) | of(a >> 16 & 0xffff, b >> 16 & 0xffff, c >> 16 & 0xffff) << 16;
}
template <One *of>
static __forceinline__ u64 pairs1(u64 a) {
    return of(a & 0xffff) | of(a >> 16 & 0xffff) << 16;
}
// .rm (1), .rp (2) and .rz (3): the host's own rounding mode.
struct RoundingMode {
    unsigned before = emulated_rounding();
    __forceinline__ explicit RoundingMode(int mode) {
        emulated_set_rounding((before & ~emulated_rounding_mask) | emulated_rounding_bits[mode]);
    }
    __forceinline__ ~RoundingMode() {
        emulated_set_rounding(before);
    }
};
// Volatile, so that the compiler computes between the two changes of the mode and not before.
template <int mode, One *of>
EMULATOR static u64 rounded(u64 a) {
    volatile u64 x = a;
    const RoundingMode here(mode);
    volatile u64 result = of(x);
    return result;
}
template <int mode, Two *of>
EMULATOR static u64 rounded(u64 a, u64 b) {
    volatile u64 x = a, y = b;
    const RoundingMode here(mode);
    volatile u64 result = of(x, y);
    return result;
}
template <int mode, Three *of>
EMULATOR static u64 rounded(u64 a, u64 b, u64 c) {
    volatile u64 x = a, y = b, z = c;
    const RoundingMode here(mode);
    volatile u64 result = of(x, y, z);
    return result;
}

// ---- comparisons: the names that end in u hold for what is no number too

#define EMULATED_COMPARISON(name, operation)                            \
    template <class T>                                                  \
    static __forceinline__ bool compare_##name(u64 first, u64 second) { \
        const T a = as<T>(first), b = as<T>(second);                    \
        return operation;                                               \
    }
EMULATED_COMPARISON(eq, a == b)
EMULATED_COMPARISON(ne, a != b && a == a && b == b)
EMULATED_COMPARISON(lt, a < b)
EMULATED_COMPARISON(le, a <= b)
EMULATED_COMPARISON(gt, a > b)
EMULATED_COMPARISON(ge, a >= b)
EMULATED_COMPARISON(lo, a < b)
EMULATED_COMPARISON(ls, a <= b)
EMULATED_COMPARISON(hi, a > b)
EMULATED_COMPARISON(hs, a >= b)
EMULATED_COMPARISON(equ, !(a < b || a > b))
EMULATED_COMPARISON(neu, a != b)
EMULATED_COMPARISON(ltu, !(a >= b))
EMULATED_COMPARISON(leu, !(a > b))
EMULATED_COMPARISON(gtu, !(a <= b))
EMULATED_COMPARISON(geu, !(a < b))
EMULATED_COMPARISON(num, a == a && b == b)
EMULATED_COMPARISON(nan, a != a || b != b)
} // namespace emulated_ptx

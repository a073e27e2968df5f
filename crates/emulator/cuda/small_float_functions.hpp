// Functions of a 16-bit floating-point type and of pairs of them. Included by cuda_fp16.h and cuda_bf16.h after small_float_type.hpp, with
//   EMULATED_FROM(x), EMULATED_TO(x, y), EMULATED_FROM_PAIR(x), EMULATED_TO_PAIR(x, y): names with the type's in them.

// ---- conversions

#define EMULATED_ENCODE(value, mode) (EMULATED_TYPE(EMULATED_RAW{EMULATED_TYPE::Format::encode(value, mode)}))
#define EMULATED_CONVERT_FLOAT(name, mode)                              \
    CUDA_ARITHMETIC EMULATED_TYPE name(float a) {                         \
        return EMULATED_ENCODE(a, mode);                                \
    }
EMULATED_CONVERT_FLOAT(EMULATED_TO(__float2, ), EMULATED_ROUND_NEAREST)
EMULATED_CONVERT_FLOAT(EMULATED_TO(__float2, _rn), EMULATED_ROUND_NEAREST)
EMULATED_CONVERT_FLOAT(EMULATED_TO(__float2, _rd), EMULATED_ROUND_DOWN)
EMULATED_CONVERT_FLOAT(EMULATED_TO(__float2, _ru), EMULATED_ROUND_UP)
EMULATED_CONVERT_FLOAT(EMULATED_TO(__float2, _rz), EMULATED_ROUND_TO_ZERO)
CUDA_ARITHMETIC EMULATED_TYPE EMULATED_TO(__double2, )(double a) {
    return EMULATED_ENCODE(a, EMULATED_ROUND_NEAREST);
}
CUDA_ARITHMETIC float EMULATED_FROM(2float)(EMULATED_TYPE a) {
    return (float)a;
}
#define EMULATED_CONVERT_WHOLE(word, type)                              \
    EMULATED_CONVERT_WHOLE_IN(EMULATED_FROM(2##word##_rn), EMULATED_TO(__##word##2, _rn), type, EMULATED_ROUND_NEAREST, __builtin_rintf) \
    EMULATED_CONVERT_WHOLE_IN(EMULATED_FROM(2##word##_rd), EMULATED_TO(__##word##2, _rd), type, EMULATED_ROUND_DOWN, __builtin_floorf) \
    EMULATED_CONVERT_WHOLE_IN(EMULATED_FROM(2##word##_ru), EMULATED_TO(__##word##2, _ru), type, EMULATED_ROUND_UP, __builtin_ceilf) \
    EMULATED_CONVERT_WHOLE_IN(EMULATED_FROM(2##word##_rz), EMULATED_TO(__##word##2, _rz), type, EMULATED_ROUND_TO_ZERO, __builtin_truncf)
#define EMULATED_CONVERT_WHOLE_IN(from, to, type, mode, round)          \
    CUDA_ARITHMETIC type from(EMULATED_TYPE a) {                          \
        return emulated_whole<type>(round((float)a));                   \
    }                                                                   \
    CUDA_ARITHMETIC EMULATED_TYPE to(type a) {                            \
        return EMULATED_ENCODE(EMULATED_TYPE::Format::whole(a), mode);  \
    }
EMULATED_CONVERT_WHOLE(short, short)
EMULATED_CONVERT_WHOLE(ushort, unsigned short)
EMULATED_CONVERT_WHOLE(int, int)
EMULATED_CONVERT_WHOLE(uint, unsigned)
EMULATED_CONVERT_WHOLE(ll, long long)
EMULATED_CONVERT_WHOLE(ull, unsigned long long)

CUDA_ARITHMETIC short EMULATED_FROM(_as_short)(EMULATED_TYPE a) {
    return (short)((EMULATED_RAW)a).x;
}
CUDA_ARITHMETIC unsigned short EMULATED_FROM(_as_ushort)(EMULATED_TYPE a) {
    return ((EMULATED_RAW)a).x;
}
CUDA_ARITHMETIC EMULATED_TYPE EMULATED_TO(__short_as_, )(short a) {
    return EMULATED_RAW{(unsigned short)a};
}
CUDA_ARITHMETIC EMULATED_TYPE EMULATED_TO(__ushort_as_, )(unsigned short a) {
    return EMULATED_RAW{a};
}

// ---- pairs

CUDA_ARITHMETIC EMULATED_PAIR EMULATED_TO_PAIR(__float2, _rn)(float a) {
    return {EMULATED_TYPE(a), EMULATED_TYPE(a)};
}
CUDA_ARITHMETIC EMULATED_PAIR EMULATED_TO_PAIR(__floats2, _rn)(float a, float b) {
    return {EMULATED_TYPE(a), EMULATED_TYPE(b)};
}
CUDA_ARITHMETIC EMULATED_PAIR EMULATED_TO_PAIR(__float22, _rn)(float2 a) {
    return {EMULATED_TYPE(a.x), EMULATED_TYPE(a.y)};
}
CUDA_ARITHMETIC float2 EMULATED_FROM_PAIR(2float2)(EMULATED_PAIR a) {
    return {(float)a.x, (float)a.y};
}
CUDA_ARITHMETIC float __low2float(EMULATED_PAIR a) {
    return (float)a.x;
}
CUDA_ARITHMETIC float __high2float(EMULATED_PAIR a) {
    return (float)a.y;
}
CUDA_ARITHMETIC EMULATED_TYPE EMULATED_TO(__low2, )(EMULATED_PAIR a) {
    return a.x;
}
CUDA_ARITHMETIC EMULATED_TYPE EMULATED_TO(__high2, )(EMULATED_PAIR a) {
    return a.y;
}
CUDA_ARITHMETIC EMULATED_PAIR EMULATED_TO_PAIR(__low2, )(EMULATED_PAIR a) {
    return {a.x, a.x};
}
CUDA_ARITHMETIC EMULATED_PAIR EMULATED_TO_PAIR(__high2, )(EMULATED_PAIR a) {
    return {a.y, a.y};
}
CUDA_ARITHMETIC EMULATED_PAIR EMULATED_TO_PAIR(__lows2, )(EMULATED_PAIR a, EMULATED_PAIR b) {
    return {a.x, b.x};
}
CUDA_ARITHMETIC EMULATED_PAIR EMULATED_TO_PAIR(__highs2, )(EMULATED_PAIR a, EMULATED_PAIR b) {
    return {a.y, b.y};
}
CUDA_ARITHMETIC EMULATED_PAIR __lowhigh2highlow(EMULATED_PAIR a) {
    return {a.y, a.x};
}
CUDA_ARITHMETIC EMULATED_PAIR EMULATED_PAIR_OF_ONE(EMULATED_TYPE a) {
    return {a, a};
}
CUDA_ARITHMETIC EMULATED_PAIR EMULATED_PAIR_OF_TWO(EMULATED_TYPE a, EMULATED_TYPE b) {
    return {a, b};
}
CUDA_ARITHMETIC EMULATED_PAIR EMULATED_MAKE_PAIR(EMULATED_TYPE a, EMULATED_TYPE b) {
    return {a, b};
}

// ---- arithmetic: float holds what is needed to round once

static __forceinline__ EMULATED_TYPE emulated_fma(EMULATED_TYPE a, EMULATED_TYPE b, EMULATED_TYPE c) {
    return EMULATED_RAW{EMULATED_TYPE::Format::fma((float)a, (float)b, (float)c)};
}
static __forceinline__ EMULATED_TYPE emulated_within_one(EMULATED_TYPE a) {
    return (float)a > 0.0f ? (float)a < 1.0f ? a : EMULATED_TYPE(1.0f) : EMULATED_TYPE(0.0f);
}
static __forceinline__ EMULATED_TYPE emulated_not_negative(EMULATED_TYPE a) {
    return (float)a <= 0.0f ? EMULATED_TYPE(0.0f) : a;
}
#define EMULATED_BOTH(name, pair_name, result)                          \
    CUDA_ARITHMETIC EMULATED_TYPE name(EMULATED_TYPE a, EMULATED_TYPE b) { \
        return EMULATED_TYPE(result);                                   \
    }                                                                   \
    CUDA_ARITHMETIC EMULATED_PAIR pair_name(EMULATED_PAIR a, EMULATED_PAIR b) { \
        return {name(a.x, b.x), name(a.y, b.y)};                        \
    }
#define EMULATED_BOTH_OF_ONE(name, pair_name, result)                   \
    CUDA_ARITHMETIC EMULATED_TYPE name(EMULATED_TYPE a) {                 \
        return EMULATED_TYPE(result);                                   \
    }                                                                   \
    CUDA_ARITHMETIC EMULATED_PAIR pair_name(EMULATED_PAIR a) {            \
        return {name(a.x), name(a.y)};                                  \
    }
#define EMULATED_BOTH_OF_THREE(name, pair_name, result)                 \
    CUDA_ARITHMETIC EMULATED_TYPE name(EMULATED_TYPE a, EMULATED_TYPE b, EMULATED_TYPE c) { \
        return EMULATED_TYPE(result);                                   \
    }                                                                   \
    CUDA_ARITHMETIC EMULATED_PAIR pair_name(EMULATED_PAIR a, EMULATED_PAIR b, EMULATED_PAIR c) { \
        return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)};              \
    }
#define EMULATED_SMALL_ARITHMETIC(name, operation)                      \
    EMULATED_BOTH(__h##name, __h##name##2, (float)a operation(float) b) \
    EMULATED_BOTH(__h##name##_rn, __h##name##2_rn, (float)a operation(float) b) \
    EMULATED_BOTH(__h##name##_sat, __h##name##2_sat, emulated_within_one(EMULATED_TYPE((float)a operation(float) b)))
EMULATED_SMALL_ARITHMETIC(add, +)
EMULATED_SMALL_ARITHMETIC(sub, -)
EMULATED_SMALL_ARITHMETIC(mul, *)
EMULATED_BOTH(__hdiv, __h2div, (float)a / (float)b)
EMULATED_BOTH_OF_THREE(__hfma, __hfma2, emulated_fma(a, b, c))
EMULATED_BOTH_OF_THREE(__hfma_sat, __hfma2_sat, emulated_within_one(emulated_fma(a, b, c)))
EMULATED_BOTH_OF_THREE(__hfma_relu, __hfma2_relu, emulated_not_negative(emulated_fma(a, b, c)))
EMULATED_BOTH_OF_ONE(__hneg, __hneg2, (EMULATED_RAW{(unsigned short)(((EMULATED_RAW)a).x ^ 0x8000)}))
EMULATED_BOTH_OF_ONE(__habs, __habs2, (EMULATED_RAW{(unsigned short)(((EMULATED_RAW)a).x & 0x7fff)}))
// a * b + c of complex numbers.
CUDA_ARITHMETIC EMULATED_PAIR __hcmadd(EMULATED_PAIR a, EMULATED_PAIR b, EMULATED_PAIR c) {
    return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}
EMULATED_BOTH(__hmin, __hmin2, emulated_min((float)a, (float)b))
EMULATED_BOTH(__hmax, __hmax2, emulated_max((float)a, (float)b))
EMULATED_BOTH(__hmin_nan, __hmin2_nan, (float)a != (float)a || (float)b != (float)b ? __builtin_nanf("") : emulated_min((float)a, (float)b))
EMULATED_BOTH(__hmax_nan, __hmax2_nan, (float)a != (float)a || (float)b != (float)b ? __builtin_nanf("") : emulated_max((float)a, (float)b))

// ---- comparisons; those with a u are true where one is NaN

#define EMULATED_SMALL_COMPARISON(word, holds)                          \
    CUDA_ARITHMETIC bool __h##word(EMULATED_TYPE first, EMULATED_TYPE second) { \
        const float a = first, b = second;                              \
        return holds;                                                   \
    }                                                                   \
    CUDA_ARITHMETIC EMULATED_PAIR __h##word##2(EMULATED_PAIR a, EMULATED_PAIR b) { \
        return {EMULATED_TYPE(__h##word(a.x, b.x) ? 1.0f : 0.0f), EMULATED_TYPE(__h##word(a.y, b.y) ? 1.0f : 0.0f)}; \
    }                                                                   \
    CUDA_ARITHMETIC bool __hb##word##2(EMULATED_PAIR a, EMULATED_PAIR b) { \
        return __h##word(a.x, b.x) && __h##word(a.y, b.y);              \
    }                                                                   \
    CUDA_ARITHMETIC unsigned __h##word##2_mask(EMULATED_PAIR a, EMULATED_PAIR b) { \
        return (__h##word(a.x, b.x) ? 0xffffu : 0u) | (__h##word(a.y, b.y) ? 0xffff0000u : 0u); \
    }
EMULATED_SMALL_COMPARISON(eq, a == b)
EMULATED_SMALL_COMPARISON(ne, a < b || a > b)
EMULATED_SMALL_COMPARISON(le, a <= b)
EMULATED_SMALL_COMPARISON(ge, a >= b)
EMULATED_SMALL_COMPARISON(lt, a < b)
EMULATED_SMALL_COMPARISON(gt, a > b)
EMULATED_SMALL_COMPARISON(equ, !(a < b || a > b))
EMULATED_SMALL_COMPARISON(neu, a != b)
EMULATED_SMALL_COMPARISON(leu, !(a > b))
EMULATED_SMALL_COMPARISON(geu, !(a < b))
EMULATED_SMALL_COMPARISON(ltu, !(a >= b))
EMULATED_SMALL_COMPARISON(gtu, !(a <= b))
CUDA_ARITHMETIC bool __hisnan(EMULATED_TYPE a) {
    return (float)a != (float)a;
}
CUDA_ARITHMETIC int __hisinf(EMULATED_TYPE a) {
    return __builtin_isinf((float)a) ? (float)a < 0 ? -1 : 1 : 0;
}
CUDA_ARITHMETIC EMULATED_PAIR __hisnan2(EMULATED_PAIR a) {
    return {EMULATED_TYPE(__hisnan(a.x) ? 1.0f : 0.0f), EMULATED_TYPE(__hisnan(a.y) ? 1.0f : 0.0f)};
}

// ---- mathematics

EMULATED_BOTH_OF_ONE(hsqrt, h2sqrt, __builtin_sqrtf((float)a))
EMULATED_BOTH_OF_ONE(hrsqrt, h2rsqrt, 1.0 / __builtin_sqrt((double)(float)a))
EMULATED_BOTH_OF_ONE(hrcp, h2rcp, 1.0f / (float)a)
EMULATED_BOTH_OF_ONE(hexp, h2exp, __builtin_exp((double)(float)a))
EMULATED_BOTH_OF_ONE(hexp2, h2exp2, __builtin_exp2((double)(float)a))
EMULATED_BOTH_OF_ONE(hexp10, h2exp10, __builtin_exp10((double)(float)a))
EMULATED_BOTH_OF_ONE(hlog, h2log, __builtin_log((double)(float)a))
EMULATED_BOTH_OF_ONE(hlog2, h2log2, __builtin_log2((double)(float)a))
EMULATED_BOTH_OF_ONE(hlog10, h2log10, __builtin_log10((double)(float)a))
EMULATED_BOTH_OF_ONE(hsin, h2sin, __builtin_sin((double)(float)a))
EMULATED_BOTH_OF_ONE(hcos, h2cos, __builtin_cos((double)(float)a))
EMULATED_BOTH_OF_ONE(htanh, h2tanh, __builtin_tanh((double)(float)a))
EMULATED_BOTH_OF_ONE(htanh_approx, h2tanh_approx, __builtin_tanh((double)(float)a))
EMULATED_BOTH_OF_ONE(hrint, h2rint, __builtin_rintf((float)a))
EMULATED_BOTH_OF_ONE(hfloor, h2floor, __builtin_floorf((float)a))
EMULATED_BOTH_OF_ONE(hceil, h2ceil, __builtin_ceilf((float)a))
EMULATED_BOTH_OF_ONE(htrunc, h2trunc, __builtin_truncf((float)a))

// ---- operators

#define EMULATED_SMALL_OPERATOR(sign, name, pair_name)                  \
    CUDA_FUNCTION EMULATED_TYPE operator sign(const EMULATED_TYPE &a, const EMULATED_TYPE &b) { \
        return name(a, b);                                              \
    }                                                                   \
    CUDA_FUNCTION EMULATED_PAIR operator sign(const EMULATED_PAIR &a, const EMULATED_PAIR &b) { \
        return pair_name(a, b);                                         \
    }                                                                   \
    CUDA_FUNCTION EMULATED_TYPE &operator sign##=(EMULATED_TYPE &a, const EMULATED_TYPE &b) { \
        return a = name(a, b);                                          \
    }                                                                   \
    CUDA_FUNCTION EMULATED_PAIR &operator sign##=(EMULATED_PAIR &a, const EMULATED_PAIR &b) { \
        return a = pair_name(a, b);                                     \
    }
EMULATED_SMALL_OPERATOR(+, __hadd, __hadd2)
EMULATED_SMALL_OPERATOR(-, __hsub, __hsub2)
EMULATED_SMALL_OPERATOR(*, __hmul, __hmul2)
EMULATED_SMALL_OPERATOR(/, __hdiv, __h2div)
#define EMULATED_SMALL_STEP(sign, name, pair_name)                      \
    CUDA_FUNCTION EMULATED_TYPE &operator sign##sign(EMULATED_TYPE &a) { \
        return a = name(a, EMULATED_TYPE(1.0f));                        \
    }                                                                   \
    CUDA_FUNCTION EMULATED_TYPE operator sign##sign(EMULATED_TYPE &a, int) { \
        const EMULATED_TYPE before = a;                                 \
        a = name(a, EMULATED_TYPE(1.0f));                               \
        return before;                                                  \
    }                                                                   \
    CUDA_FUNCTION EMULATED_PAIR &operator sign##sign(EMULATED_PAIR &a) { \
        return a = pair_name(a, EMULATED_PAIR(EMULATED_TYPE(1.0f), EMULATED_TYPE(1.0f))); \
    }
EMULATED_SMALL_STEP(+, __hadd, __hadd2)
EMULATED_SMALL_STEP(-, __hsub, __hsub2)
CUDA_FUNCTION EMULATED_TYPE operator+(const EMULATED_TYPE &a) {
    return a;
}
CUDA_FUNCTION EMULATED_TYPE operator-(const EMULATED_TYPE &a) {
    return __hneg(a);
}
CUDA_FUNCTION EMULATED_PAIR operator+(const EMULATED_PAIR &a) {
    return a;
}
CUDA_FUNCTION EMULATED_PAIR operator-(const EMULATED_PAIR &a) {
    return __hneg2(a);
}
#define EMULATED_SMALL_COMPARE(sign, word)                              \
    CUDA_FUNCTION bool operator sign(const EMULATED_TYPE &a, const EMULATED_TYPE &b) { \
        return __h##word(a, b);                                         \
    }                                                                   \
    CUDA_FUNCTION bool operator sign(const EMULATED_PAIR &a, const EMULATED_PAIR &b) { \
        return __hb##word##2(a, b);                                     \
    }
EMULATED_SMALL_COMPARE(==, eq)
EMULATED_SMALL_COMPARE(!=, neu)
EMULATED_SMALL_COMPARE(<, lt)
EMULATED_SMALL_COMPARE(<=, le)
EMULATED_SMALL_COMPARE(>, gt)
EMULATED_SMALL_COMPARE(>=, ge)

// ---- atomics: of a pair, both numbers at a time

template <>
struct EmulatedSum<EMULATED_PAIR> {
    static __forceinline__ EMULATED_PAIR of(EMULATED_PAIR a, EMULATED_PAIR b) {
        return __hadd2(a, b);
    }
};
EMULATED_ATOMIC_FUNCTION(atomicAdd, EMULATED_CHANGE_ADD, EMULATED_TYPE)
EMULATED_ATOMIC_FUNCTION(atomicAdd, EMULATED_CHANGE_ADD, EMULATED_PAIR)

// What follows is told anew for the next type.
#undef EMULATED_ENCODE
#undef EMULATED_CONVERT_FLOAT
#undef EMULATED_CONVERT_WHOLE
#undef EMULATED_CONVERT_WHOLE_IN
#undef EMULATED_BOTH
#undef EMULATED_BOTH_OF_ONE
#undef EMULATED_BOTH_OF_THREE
#undef EMULATED_SMALL_ARITHMETIC
#undef EMULATED_SMALL_COMPARISON
#undef EMULATED_SMALL_OPERATOR
#undef EMULATED_SMALL_STEP
#undef EMULATED_SMALL_COMPARE
#undef EMULATED_TYPE
#undef EMULATED_RAW
#undef EMULATED_PAIR
#undef EMULATED_PAIR_RAW
#undef EMULATED_MANTISSA
#undef EMULATED_FROM
#undef EMULATED_TO
#undef EMULATED_FROM_PAIR
#undef EMULATED_TO_PAIR
#undef EMULATED_PAIR_OF_ONE
#undef EMULATED_PAIR_OF_TWO
#undef EMULATED_MAKE_PAIR

// Mathematical functions: those of C by the host's library, those of CUDA alone made of them.
#pragma once

// name(double), namef(float) and name(float).
#define EMULATED_MATH_ONE(name)                                         \
    CUDA_ARITHMETIC double name(double a) { \
        return __builtin_##name(a);                                     \
    }                                                                   \
    CUDA_ARITHMETIC float name##f(float a) { \
        return __builtin_##name##f(a);                                  \
    }                                                                   \
    CUDA_ARITHMETIC float name(float a) { \
        return __builtin_##name##f(a);                                  \
    }
EMULATED_MATH_ONE(acos)
EMULATED_MATH_ONE(acosh)
EMULATED_MATH_ONE(asin)
EMULATED_MATH_ONE(asinh)
EMULATED_MATH_ONE(atan)
EMULATED_MATH_ONE(atanh)
EMULATED_MATH_ONE(cbrt)
EMULATED_MATH_ONE(ceil)
EMULATED_MATH_ONE(cos)
EMULATED_MATH_ONE(cosh)
EMULATED_MATH_ONE(erf)
EMULATED_MATH_ONE(erfc)
EMULATED_MATH_ONE(exp)
EMULATED_MATH_ONE(exp10)
EMULATED_MATH_ONE(exp2)
EMULATED_MATH_ONE(expm1)
EMULATED_MATH_ONE(fabs)
EMULATED_MATH_ONE(floor)
EMULATED_MATH_ONE(lgamma)
EMULATED_MATH_ONE(log)
EMULATED_MATH_ONE(log10)
EMULATED_MATH_ONE(log1p)
EMULATED_MATH_ONE(log2)
EMULATED_MATH_ONE(logb)
EMULATED_MATH_ONE(nearbyint)
EMULATED_MATH_ONE(rint)
EMULATED_MATH_ONE(round)
EMULATED_MATH_ONE(sin)
EMULATED_MATH_ONE(sinh)
EMULATED_MATH_ONE(sqrt)
EMULATED_MATH_ONE(tan)
EMULATED_MATH_ONE(tanh)
EMULATED_MATH_ONE(tgamma)
EMULATED_MATH_ONE(trunc)

// To whole numbers: what is too large becomes the largest.
#define EMULATED_MATH_WHOLE(name, type, in_double, in_float)            \
    CUDA_ARITHMETIC type name(double a) {                                 \
        return emulated_whole<type>(in_double(a));                      \
    }                                                                   \
    CUDA_ARITHMETIC type name##f(float a) {                               \
        return emulated_whole<type>(in_float(a));                       \
    }                                                                   \
    CUDA_ARITHMETIC type name(float a) {                                  \
        return emulated_whole<type>(in_float(a));                       \
    }
EMULATED_MATH_WHOLE(lrint, long, __builtin_rint, __builtin_rintf)
EMULATED_MATH_WHOLE(lround, long, __builtin_round, __builtin_roundf)
EMULATED_MATH_WHOLE(llrint, long long, __builtin_rint, __builtin_rintf)
EMULATED_MATH_WHOLE(llround, long long, __builtin_round, __builtin_roundf)
CUDA_ARITHMETIC int ilogb(double a) {
    return __builtin_ilogb(a);
}
CUDA_ARITHMETIC int ilogbf(float a) {
    return __builtin_ilogbf(a);
}
CUDA_ARITHMETIC int ilogb(float a) {
    return __builtin_ilogbf(a);
}

// The same with more arguments: the types of the others are given for double and for float.
#define EMULATED_MATH_MORE(name, arguments, in_double, in_float)        \
    CUDA_ARITHMETIC double name in_double {                               \
        return __builtin_##name arguments;                              \
    }                                                                   \
    CUDA_ARITHMETIC float name##f in_float {                              \
        return __builtin_##name##f arguments;                           \
    }                                                                   \
    CUDA_ARITHMETIC float name in_float {                                 \
        return __builtin_##name##f arguments;                           \
    }
#define EMULATED_MATH_TWO(name) EMULATED_MATH_MORE(name, (a, b), (double a, double b), (float a, float b))
EMULATED_MATH_TWO(atan2)
EMULATED_MATH_TWO(copysign)
EMULATED_MATH_TWO(fdim)
EMULATED_MATH_TWO(fmod)
EMULATED_MATH_TWO(hypot)
EMULATED_MATH_TWO(nextafter)
EMULATED_MATH_TWO(pow)
EMULATED_MATH_TWO(remainder)
EMULATED_MATH_MORE(fma, (a, b, c), (double a, double b, double c), (float a, float b, float c))
EMULATED_MATH_MORE(ldexp, (a, b), (double a, int b), (float a, int b))
EMULATED_MATH_MORE(scalbn, (a, b), (double a, int b), (float a, int b))
EMULATED_MATH_MORE(scalbln, (a, b), (double a, long b), (float a, long b))
CUDA_ARITHMETIC double pow(double a, int b) {
    return __builtin_pow(a, b);
}
CUDA_ARITHMETIC float pow(float a, int b) {
    return __builtin_powf(a, (float)b);
}
// Bessel functions are the library's own: not all compilers know them.
#define EMULATED_BESSEL(name)                                           \
    extern "C" double name##0(double a);                                \
    extern "C" double name##1(double a);                                \
    extern "C" double name##n(int n, double a);                         \
    extern "C" float name##0f(float a);                                 \
    extern "C" float name##1f(float a);                                 \
    extern "C" float name##nf(int n, float a);                          \
    CUDA_ARITHMETIC float name##0(float a) {                            \
        return name##0f(a);                                             \
    }                                                                   \
    CUDA_ARITHMETIC float name##1(float a) {                            \
        return name##1f(a);                                             \
    }
EMULATED_BESSEL(j)
EMULATED_BESSEL(y)

// ---- functions with a second result. It passes by a value: the library's store is not traced, the kernel's is.

template <class T, class Second>
struct EmulatedPair {
    T first;
    Second second;
};
EMULATOR static inline EmulatedPair<double, int> emulated_frexp(double a) {
    int exponent = 0;
    const double fraction = __builtin_frexp(a, &exponent);
    return {fraction, exponent};
}
EMULATOR static inline EmulatedPair<double, int> emulated_remquo(double a, double b) {
    int quotient = 0;
    const double rest = __builtin_remquo(a, b, &quotient);
    return {rest, quotient};
}
EMULATOR static inline EmulatedPair<float, int> emulated_remquo(float a, float b) {
    int quotient = 0;
    const float rest = __builtin_remquof(a, b, &quotient);
    return {rest, quotient};
}
#define EMULATED_SECOND(type, frexp_name, modf_name, remquo_name)       \
    CUDA_FUNCTION type frexp_name(type a, int *exponent) {              \
        const EmulatedPair<double, int> parts = emulated_frexp(a);      \
        *exponent = parts.second;                                       \
        return (type)parts.first;                                       \
    }                                                                   \
    CUDA_FUNCTION type modf_name(type a, type *whole) {                 \
        const type part = (type)__builtin_trunc(a);                     \
        *whole = part;                                                  \
        return (type)__builtin_copysign(__builtin_isinf(a) ? 0.0 : (double)a - part, a); \
    }                                                                   \
    CUDA_FUNCTION type remquo_name(type a, type b, int *quotient) {     \
        const EmulatedPair<type, int> parts = emulated_remquo(a, b);    \
        *quotient = parts.second;                                       \
        return parts.first;                                             \
    }
EMULATED_SECOND(double, frexp, modf, remquo)
EMULATED_SECOND(float, frexpf, modff, remquof)
EMULATED_SECOND(float, frexp, modf, remquo)

// ---- what kind of number

#define EMULATED_KIND_OF(name, type, builtin)                            \
    CUDA_ARITHMETIC int name(type a) {                                  \
        return builtin(a) != 0;                                         \
    }
#define EMULATED_KIND(name, single, whole, builtin)                     \
    EMULATED_KIND_OF(name, float, builtin)                              \
    EMULATED_KIND_OF(name, double, builtin)                             \
    EMULATED_KIND_OF(single, float, builtin)                            \
    EMULATED_KIND_OF(whole, double, builtin)
EMULATED_KIND(isnan, __isnanf, __isnan, __builtin_isnan)
EMULATED_KIND(isinf, __isinff, __isinf, __builtin_isinf)
EMULATED_KIND(isfinite, __finitef, __finite, __builtin_isfinite)
EMULATED_KIND(signbit, __signbitf, __signbit, __builtin_signbit)
CUDA_ARITHMETIC double nan(const char *) {
    return emulated_bits<double>(0x7ff8000000000000ull);
}
CUDA_ARITHMETIC float nanf(const char *) {
    return emulated_bits<float>(0x7fffffffu);
}
CUDA_ARITHMETIC int abs(int a) {
    return a < 0 ? (int)-(unsigned)a : a;
}
CUDA_ARITHMETIC long labs(long a) {
    return a < 0 ? (long)-(unsigned long)a : a;
}
CUDA_ARITHMETIC long abs(long a) {
    return a < 0 ? (long)-(unsigned long)a : a;
}
CUDA_ARITHMETIC long long llabs(long long a) {
    return a < 0 ? (long long)-(unsigned long long)a : a;
}
CUDA_ARITHMETIC long long abs(long long a) {
    return a < 0 ? (long long)-(unsigned long long)a : a;
}
CUDA_ARITHMETIC float abs(float a) {
    return __builtin_fabsf(a);
}
CUDA_ARITHMETIC double abs(double a) {
    return __builtin_fabs(a);
}

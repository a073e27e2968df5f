// Mathematical functions that C does not have, and the fast ones, which here are as exact as the others: CUDA promises no bits of either.
#pragma once

// Defined in double; namef(float) computes in double and rounds once.
#define EMULATED_OWN_MATH(name, parameters, in_double, in_float, ...)   \
    CUDA_ARITHMETIC double name in_double {                               \
        return __VA_ARGS__;                                             \
    }                                                                   \
    CUDA_ARITHMETIC float name##f in_float {                              \
        return (float)name parameters;                                  \
    }                                                                   \
    CUDA_ARITHMETIC float name in_float {                                 \
        return (float)name parameters;                                  \
    }
#define EMULATED_OWN_ONE(name, ...) EMULATED_OWN_MATH(name, ((double)a), (double a), (float a), __VA_ARGS__)
constexpr double emulated_pi = 3.14159265358979323846;

EMULATED_OWN_ONE(rsqrt, 1.0 / __builtin_sqrt(a))
EMULATED_OWN_ONE(rcbrt, 1.0 / __builtin_cbrt(a))
// The remainder first, which is exact.
EMULATED_OWN_ONE(sinpi, __builtin_sin(emulated_pi *__builtin_remainder(a, 2.0)))
EMULATED_OWN_ONE(cospi, __builtin_fabs(__builtin_remainder(a, 2.0)) == 0.5 ? 0.0 : __builtin_cos(emulated_pi *__builtin_remainder(a, 2.0)))
EMULATED_OWN_ONE(normcdf, 0.5 * __builtin_erfc(a * -0.70710678118654752440))
EMULATED_OWN_MATH(rhypot, ((double)a, (double)b), (double a, double b), (float a, float b), 1.0 / __builtin_hypot(a, b))
EMULATED_OWN_MATH(norm3d, ((double)a, (double)b, (double)c), (double a, double b, double c), (float a, float b, float c), __builtin_hypot(__builtin_hypot(a, b), c))
EMULATED_OWN_MATH(rnorm3d, ((double)a, (double)b, (double)c), (double a, double b, double c), (float a, float b, float c), 1.0 / norm3d(a, b, c))
EMULATED_OWN_MATH(norm4d, ((double)a, (double)b, (double)c, (double)d), (double a, double b, double c, double d), (float a, float b, float c, float d),
                  __builtin_hypot(__builtin_hypot(a, b), __builtin_hypot(c, d)))
EMULATED_OWN_MATH(rnorm4d, ((double)a, (double)b, (double)c, (double)d), (double a, double b, double c, double d), (float a, float b, float c, float d),
                  1.0 / norm4d(a, b, c, d))

// exp(a * a) * erfc(a): the product where it is finite, and an expansion in 1 / a beyond.
static inline double emulated_erfcx(double a) {
    if (a < 25.0) {
        return __builtin_exp(a * a) * __builtin_erfc(a);
    }
    const double square = 1.0 / (2.0 * a * a);
    return (1.0 - square * (1.0 - 3.0 * square * (1.0 - 5.0 * square * (1.0 - 7.0 * square * (1.0 - 9.0 * square))))) / (a * 1.77245385090551602730);
}
// Newton's method on erf, from a first guess by logarithms.
static inline double emulated_erfinv(double a) {
    if (!(a > -1.0 && a < 1.0)) {
        return a == 1.0 || a == -1.0 ? a * __builtin_inf() : __builtin_nan("");
    }
    const double l = __builtin_log1p(-a * a), k = 4.33074675078035 + l / 2;
    double x = __builtin_copysign(__builtin_sqrt(__builtin_sqrt(k * k - l / 0.147) - k), a);
    for (int step = 0; step < 4 && a != 0.0; step++) {
        const double miss = a < 0.5 && a > -0.5 ? __builtin_erf(x) - a : a > 0 ? (1.0 - a) - __builtin_erfc(x) : __builtin_erfc(-x) - (1.0 + a);
        const double slope = 1.12837916709551257390 * __builtin_exp(-x * x);
        x -= miss / (slope + x * miss);
    }
    return x;
}
static inline double emulated_erfcinv(double a) {
    if (a > 0.1 && a < 2.0) {
        return emulated_erfinv(1.0 - a);
    }
    if (!(a > 0.0 && a < 2.0)) {
        return a == 0.0 ? __builtin_inf() : a == 2.0 ? -__builtin_inf() : __builtin_nan("");
    }
    double x = __builtin_sqrt(-__builtin_log(a * 1.77245385090551602730));
    for (int step = 0; step < 8; step++) {
        const double miss = __builtin_erfc(x) - a, slope = -1.12837916709551257390 * __builtin_exp(-x * x);
        x -= miss / (slope + x * miss);
    }
    return x;
}
// The modified Bessel functions of the first kind, by their series; beyond 30 by the expansion in 1 / a.
static inline double emulated_bessel_i(int order, double a) {
    const double size = __builtin_fabs(a);
    double term = order == 0 ? 1.0 : size / 2, sum = term;
    if (size < 30.0) {
        for (int k = 1; k < 120; k++) {
            term *= size * size / 4 / (k * (double)(k + order));
            sum += term;
        }
    } else {
        term = sum = 1.0;
        for (int k = 1; k < 20; k++) {
            term *= -(4.0 * order * order - (2 * k - 1) * (2 * k - 1)) / (k * 8.0 * size);
            sum += term;
        }
        sum *= __builtin_exp(size) / __builtin_sqrt(2 * emulated_pi * size);
    }
    return order == 1 && a < 0 ? -sum : sum;
}
EMULATED_OWN_ONE(erfcx, emulated_erfcx(a))
EMULATED_OWN_ONE(erfinv, emulated_erfinv(a))
EMULATED_OWN_ONE(erfcinv, emulated_erfcinv(a))
EMULATED_OWN_ONE(normcdfinv, -1.41421356237309504880 * emulated_erfcinv(2.0 * a))
EMULATED_OWN_ONE(cyl_bessel_i0, emulated_bessel_i(0, a))
EMULATED_OWN_ONE(cyl_bessel_i1, emulated_bessel_i(1, a))

CUDA_FUNCTION double norm(int dimensions, const double *values) {
    double sum = 0;
    for (int at = 0; at < dimensions; at++) {
        sum = __builtin_hypot(sum, values[at]);
    }
    return sum;
}
CUDA_FUNCTION float normf(int dimensions, const float *values) {
    double sum = 0;
    for (int at = 0; at < dimensions; at++) {
        sum = __builtin_hypot(sum, values[at]);
    }
    return (float)sum;
}
CUDA_FUNCTION double rnorm(int dimensions, const double *values) {
    return 1.0 / norm(dimensions, values);
}
CUDA_FUNCTION float rnormf(int dimensions, const float *values) {
    return 1.0f / normf(dimensions, values);
}

#define EMULATED_BOTH_PARTS(type, name, sine, cosine)                   \
    CUDA_FUNCTION void name(type a, type *s, type *c) {                 \
        *s = sine(a);                                                   \
        *c = cosine(a);                                                 \
    }
EMULATED_BOTH_PARTS(double, sincos, __builtin_sin, __builtin_cos)
EMULATED_BOTH_PARTS(float, sincosf, __builtin_sinf, __builtin_cosf)
EMULATED_BOTH_PARTS(float, sincos, __builtin_sinf, __builtin_cosf)
EMULATED_BOTH_PARTS(float, __sincosf, __builtin_sinf, __builtin_cosf)
EMULATED_BOTH_PARTS(double, sincospi, sinpi, cospi)
EMULATED_BOTH_PARTS(float, sincospif, sinpi, cospi)
EMULATED_BOTH_PARTS(float, sincospi, sinpi, cospi)

#define EMULATED_FAST(name, exact)                                      \
    CUDA_ARITHMETIC float name(float a) {                                 \
        return exact(a);                                                \
    }
EMULATED_FAST(__sinf, __builtin_sinf)
EMULATED_FAST(__cosf, __builtin_cosf)
EMULATED_FAST(__tanf, __builtin_tanf)
EMULATED_FAST(__tanhf, __builtin_tanhf)
EMULATED_FAST(__expf, __builtin_expf)
EMULATED_FAST(__exp10f, __builtin_exp10f)
EMULATED_FAST(__logf, __builtin_logf)
EMULATED_FAST(__log2f, __builtin_log2f)
EMULATED_FAST(__log10f, __builtin_log10f)
CUDA_ARITHMETIC float __powf(float a, float b) {
    return __builtin_powf(a, b);
}
CUDA_ARITHMETIC float __fdividef(float a, float b) {
    return a / b;
}
CUDA_ARITHMETIC float fdividef(float a, float b) {
    return a / b;
}
CUDA_ARITHMETIC double fdivide(double a, double b) {
    return a / b;
}
// Into 0 to 1; NaN becomes 0.
CUDA_ARITHMETIC float __saturatef(float a) {
    return a > 0.0f ? a < 1.0f ? a : 1.0f : 0.0f;
}

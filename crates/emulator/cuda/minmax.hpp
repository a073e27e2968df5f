// min and max, with the pairs of types that CUDA takes.
#pragma once

// The other operand where one is NaN; -0 is less than 0.
static __forceinline__ float emulated_min(float a, float b) {
    if (a == b) {
        return emulated_bits<float>(emulated_bits<unsigned>(a) | emulated_bits<unsigned>(b));
    }
    return a < b || b != b ? a : b;
}
static __forceinline__ float emulated_max(float a, float b) {
    if (a == b) {
        return emulated_bits<float>(emulated_bits<unsigned>(a) & emulated_bits<unsigned>(b));
    }
    return a > b || b != b ? a : b;
}
static __forceinline__ double emulated_min(double a, double b) {
    if (a == b) {
        return emulated_bits<double>(emulated_bits<emulated_u64>(a) | emulated_bits<emulated_u64>(b));
    }
    return a < b || b != b ? a : b;
}
static __forceinline__ double emulated_max(double a, double b) {
    if (a == b) {
        return emulated_bits<double>(emulated_bits<emulated_u64>(a) & emulated_bits<emulated_u64>(b));
    }
    return a > b || b != b ? a : b;
}

CUDA_ARITHMETIC float fminf(float a, float b) {
    return emulated_min(a, b);
}
CUDA_ARITHMETIC float fmaxf(float a, float b) {
    return emulated_max(a, b);
}
CUDA_ARITHMETIC float fmin(float a, float b) {
    return emulated_min(a, b);
}
CUDA_ARITHMETIC float fmax(float a, float b) {
    return emulated_max(a, b);
}
CUDA_ARITHMETIC double fmin(double a, double b) {
    return emulated_min(a, b);
}
CUDA_ARITHMETIC double fmax(double a, double b) {
    return emulated_max(a, b);
}

// A mixed pair is compared as the type that C++ converts both to.
#define EMULATED_INTEGER_PAIR(result, first, second)                    \
    CUDA_ARITHMETIC result min(const first a, const second b) {           \
        return (result)a < (result)b ? (result)a : (result)b;           \
    }                                                                   \
    CUDA_ARITHMETIC result max(const first a, const second b) {           \
        return (result)a > (result)b ? (result)a : (result)b;           \
    }
#define EMULATED_INTEGER_PAIRS(plain, without_sign)                     \
    EMULATED_INTEGER_PAIR(plain, plain, plain)                          \
    EMULATED_INTEGER_PAIR(without_sign, without_sign, without_sign)     \
    EMULATED_INTEGER_PAIR(without_sign, plain, without_sign)            \
    EMULATED_INTEGER_PAIR(without_sign, without_sign, plain)
EMULATED_INTEGER_PAIRS(int, unsigned)
EMULATED_INTEGER_PAIRS(long, unsigned long)
EMULATED_INTEGER_PAIRS(long long, unsigned long long)
#define EMULATED_FLOAT_PAIR(result, first, second)                      \
    CUDA_ARITHMETIC result min(const first a, const second b) {           \
        return emulated_min((result)a, (result)b);                      \
    }                                                                   \
    CUDA_ARITHMETIC result max(const first a, const second b) {           \
        return emulated_max((result)a, (result)b);                      \
    }
EMULATED_FLOAT_PAIR(float, float, float)
EMULATED_FLOAT_PAIR(double, double, double)
EMULATED_FLOAT_PAIR(double, float, double)
EMULATED_FLOAT_PAIR(double, double, float)

CUDA_ARITHMETIC unsigned umin(unsigned a, unsigned b) {
    return a < b ? a : b;
}
CUDA_ARITHMETIC unsigned umax(unsigned a, unsigned b) {
    return a > b ? a : b;
}
CUDA_ARITHMETIC long long llmin(long long a, long long b) {
    return a < b ? a : b;
}
CUDA_ARITHMETIC long long llmax(long long a, long long b) {
    return a > b ? a : b;
}
CUDA_ARITHMETIC unsigned long long ullmin(unsigned long long a, unsigned long long b) {
    return a < b ? a : b;
}
CUDA_ARITHMETIC unsigned long long ullmax(unsigned long long a, unsigned long long b) {
    return a > b ? a : b;
}

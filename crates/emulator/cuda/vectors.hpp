// Vector types: plain structures, each with the alignment that CUDA gives it, so that one instruction loads or stores a whole one.
#pragma once

// An assignment is one access. A compiler that copies a whole does so; of `{...}` it would store part after part. A list of parts is no copy of the
// type: the type stays one that is copied as bytes.
#define EMULATED_ASSIGNED(name, type)                                                     \
    __forceinline__ name &operator=(std::initializer_list<type> parts) {                  \
        name whole = {};                                                                  \
        type *part = &whole.x;                                                            \
        for (const type &given : parts) {                                                 \
            *part++ = given;                                                              \
        }                                                                                 \
        return *this = whole;                                                             \
    }
// What the translator puts around `float4{...}` on the right of an assignment, for the same reason. Of a constant, too, a compiler would store the parts: so
// this is one only where the compiler itself computes, and make_float4 is none, as CUDA's is none.
template <class T>
static __forceinline__ constexpr T emulated_vector(T value) {
    return __builtin_is_constant_evaluated() ? value : value;
}
#define EMULATED_VECTOR(name, type, align2, align4, three)                                \
    struct name##1 {                                                                      \
        type x;                                                                           \
    };                                                                                    \
    struct __attribute__((aligned(align2))) name##2 {                                     \
        type x, y;                                                                        \
        EMULATED_ASSIGNED(name##2, type)                                                  \
    };                                                                                    \
    three struct __attribute__((aligned(align4))) name##4 {                               \
        type x, y, z, w;                                                                  \
        EMULATED_ASSIGNED(name##4, type)                                                  \
    };                                                                                    \
    CUDA_ARITHMETIC name##1 make_##name##1(type x) {                                      \
        return {x};                                                                       \
    }                                                                                     \
    CUDA_ARITHMETIC name##2 make_##name##2(type x, type y) {                              \
        return {x, y};                                                                    \
    }                                                                                     \
    CUDA_ARITHMETIC name##3 make_##name##3(type x, type y, type z) {                      \
        return {x, y, z};                                                                 \
    }                                                                                     \
    CUDA_ARITHMETIC name##4 make_##name##4(type x, type y, type z, type w) {              \
        return {x, y, z, w};                                                              \
    }
#define EMULATED_VECTOR3(name, type)                                                      \
    struct name##3 {                                                                      \
        type x, y, z;                                                                     \
    };
EMULATED_VECTOR(char, signed char, 2, 4, EMULATED_VECTOR3(char, signed char))
EMULATED_VECTOR(uchar, unsigned char, 2, 4, EMULATED_VECTOR3(uchar, unsigned char))
EMULATED_VECTOR(short, short, 4, 8, EMULATED_VECTOR3(short, short))
EMULATED_VECTOR(ushort, unsigned short, 4, 8, EMULATED_VECTOR3(ushort, unsigned short))
EMULATED_VECTOR(int, int, 8, 16, EMULATED_VECTOR3(int, int))
// The indexes of a thread are of type uint3: runtime.hpp has it.
EMULATED_VECTOR(uint, unsigned, 8, 16, )
EMULATED_VECTOR(long, long, 16, 16, EMULATED_VECTOR3(long, long))
EMULATED_VECTOR(ulong, unsigned long, 16, 16, EMULATED_VECTOR3(ulong, unsigned long))
EMULATED_VECTOR(longlong, long long, 16, 16, EMULATED_VECTOR3(longlong, long long))
EMULATED_VECTOR(ulonglong, unsigned long long, 16, 16, EMULATED_VECTOR3(ulonglong, unsigned long long))
EMULATED_VECTOR(float, float, 8, 16, EMULATED_VECTOR3(float, float))
EMULATED_VECTOR(double, double, 16, 16, EMULATED_VECTOR3(double, double))

// Vectors of four times eight bytes say in their names how they are aligned.
#define EMULATED_WIDE_VECTOR(name, type, align)                                           \
    struct __attribute__((aligned(align))) name##4_##align##a {                           \
        type x, y, z, w;                                                                  \
        EMULATED_ASSIGNED(name##4_##align##a, type)                                       \
    };                                                                                    \
    CUDA_ARITHMETIC name##4_##align##a make_##name##4_##align##a(type x, type y, type z, type w) { \
        return {x, y, z, w};                                                              \
    }
#define EMULATED_WIDE_VECTORS(name, type)                                                 \
    EMULATED_WIDE_VECTOR(name, type, 16)                                                  \
    EMULATED_WIDE_VECTOR(name, type, 32)
EMULATED_WIDE_VECTORS(long, long)
EMULATED_WIDE_VECTORS(ulong, unsigned long)
EMULATED_WIDE_VECTORS(longlong, long long)
EMULATED_WIDE_VECTORS(ulonglong, unsigned long long)
EMULATED_WIDE_VECTORS(double, double)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {
    }
    constexpr operator uint3() const {
        return {x, y, z};
    }
};

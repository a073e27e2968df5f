// DPX: sums, minima and maxima of two or three numbers in one instruction, as dynamic programming wants them.
#pragma once

static __forceinline__ constexpr int emulated_less(int a, int b) {
    return a < b ? a : b;
}
static __forceinline__ constexpr int emulated_more(int a, int b) {
    return a > b ? a : b;
}
static __forceinline__ constexpr unsigned emulated_less(unsigned a, unsigned b) {
    return a < b ? a : b;
}
static __forceinline__ constexpr unsigned emulated_more(unsigned a, unsigned b) {
    return a > b ? a : b;
}
// Sums wrap around.
static __forceinline__ constexpr int emulated_sum(int a, int b) {
    return (int)((unsigned)a + (unsigned)b);
}
static __forceinline__ constexpr unsigned emulated_sum(unsigned a, unsigned b) {
    return a + b;
}

// A function of three numbers, and the same on both halves of a word. relu: nothing under zero.
#define EMULATED_THREE(name, type, result)                                                      \
    CUDA_ARITHMETIC type name(const type a, const type b, const type c) {                         \
        return result;                                                                          \
    }
template <class Part, class Operation>
static __forceinline__ unsigned emulated_halves(unsigned a, unsigned b, unsigned c, Operation operation) {
    const Part low = operation((Part)a, (Part)b, (Part)c), high = operation((Part)(a >> 16), (Part)(b >> 16), (Part)(c >> 16));
    return (unsigned)(unsigned short)high << 16 | (unsigned short)low;
}
#define EMULATED_THREE_HALVES(name, part, result)                                               \
    CUDA_ARITHMETIC unsigned name(const unsigned a, const unsigned b, const unsigned c) {         \
        return emulated_halves<part>(a, b, c, [](part a, part b, part c) __attribute__((always_inline)) -> part { return (part)(result); }); \
    }
#define EMULATED_DPX(how, pick)                                                                 \
    EMULATED_THREE(__viadd##how##_s32, int, pick(emulated_sum(a, b), c))                        \
    EMULATED_THREE(__viadd##how##_u32, unsigned, pick(emulated_sum(a, b), c))                   \
    EMULATED_THREE(__viadd##how##_s32_relu, int, emulated_more(pick(emulated_sum(a, b), c), 0)) \
    EMULATED_THREE(__vi##how##3_s32, int, pick(pick(a, b), c))                                  \
    EMULATED_THREE(__vi##how##3_u32, unsigned, pick(pick(a, b), c))                             \
    EMULATED_THREE(__vi##how##3_s32_relu, int, emulated_more(pick(pick(a, b), c), 0))           \
    EMULATED_THREE_HALVES(__viadd##how##_s16x2, short, pick((int)(short)(a + b), (int)c))       \
    EMULATED_THREE_HALVES(__viadd##how##_u16x2, unsigned short, pick((int)(unsigned short)(a + b), (int)c)) \
    EMULATED_THREE_HALVES(__viadd##how##_s16x2_relu, short, emulated_more(pick((int)(short)(a + b), (int)c), 0)) \
    EMULATED_THREE_HALVES(__vi##how##3_s16x2, short, pick(pick((int)a, (int)b), (int)c))        \
    EMULATED_THREE_HALVES(__vi##how##3_u16x2, unsigned short, pick(pick((int)a, (int)b), (int)c)) \
    EMULATED_THREE_HALVES(__vi##how##3_s16x2_relu, short, emulated_more(pick(pick((int)a, (int)b), (int)c), 0)) \
    CUDA_ARITHMETIC int __vi##how##_s32_relu(const int a, const int b) {                          \
        return emulated_more(pick(a, b), 0);                                                    \
    }                                                                                           \
    CUDA_ARITHMETIC unsigned __vi##how##_s16x2_relu(const unsigned a, const unsigned b) {         \
        return emulated_halves<short>(a, b, 0, [](short a, short b, short) __attribute__((always_inline)) -> short { \
            return (short)emulated_more(pick((int)a, (int)b), 0);                               \
        });                                                                                     \
    }
EMULATED_DPX(min, emulated_less)
EMULATED_DPX(max, emulated_more)

// The last argument says whether the first number was taken (also where both are equal).
#define EMULATED_PICK(how, pick, operation)                                                     \
    CUDA_FUNCTION int __vib##how##_s32(const int a, const int b, bool *const first) {           \
        *first = a operation b;                                                                 \
        return pick(a, b);                                                                      \
    }                                                                                           \
    CUDA_FUNCTION unsigned __vib##how##_u32(const unsigned a, const unsigned b, bool *const first) { \
        *first = a operation b;                                                                 \
        return pick(a, b);                                                                      \
    }                                                                                           \
    EMULATED_PICK_HALVES(__vib##how##_s16x2, short, pick, operation)                            \
    EMULATED_PICK_HALVES(__vib##how##_u16x2, unsigned short, pick, operation)
#define EMULATED_PICK_HALVES(name, part, pick, operation)                                       \
    CUDA_FUNCTION unsigned name(const unsigned a, const unsigned b, bool *const high, bool *const low) { \
        *high = (part)(a >> 16) operation(part)(b >> 16);                                       \
        *low = (part)a operation(part) b;                                                       \
        return emulated_halves<part>(a, b, 0, [](part a, part b, part) __attribute__((always_inline)) -> part { \
            return (part)pick((int)a, (int)b);                                                  \
        });                                                                                     \
    }
EMULATED_PICK(min, emulated_less, <=)
EMULATED_PICK(max, emulated_more, >=)

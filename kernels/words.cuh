// Distances as the 32-bit words that the arithmetic of `register_blocked.cu` works on: one f32 or i32, or two u16.
//
// An f32 is compared by its bits, as the integer that they are: for numbers that are not negative the order is the same, and there
// is a minimum of three integers on compute capability 9.0, which takes two tasks; ONE_BY_ONE leaves it out, to see what it is
// worth. Where weights may be negative, tiles hold distances with SHIFT added to them, which makes them positive; left operands do
// not, so that a sum has it once. That is exact where distances are integers, or multiples of some power of two, of less than SHIFT.
// SIGNED_F32 is for all others.
#pragma once

#include "repro.cuh"

typedef unsigned int word;

#ifdef DISTANCE_U16
#define DISTANCES_A_WORD 2
#else
#define DISTANCES_A_WORD 1
#endif

#if defined(DISTANCE_I32) || defined(DISTANCE_U16)
#define IS_INTEGER 1
#else
#define IS_INTEGER 0
#endif

#ifdef __CUDA_ARCH__
#define ARCHITECTURE __CUDA_ARCH__
#else
#define ARCHITECTURE 0
#endif

// Whether a warpgroup of its own feeds the others, which then have its registers too: what sm_90a has.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define IS_FED 1
#else
#define IS_FED 0
#endif

#if defined(DISTANCE_I32)
#define ABSENT_WORD 0x3fffffffu
#elif defined(DISTANCE_U16)
#define ABSENT_WORD 0x7fff7fffu
#else
#define ABSENT_WORD 0x7f800000u
#endif

#ifdef SHIFT
static __device__ __forceinline__ word shifted(word value, float by) {
    return (word)__float_as_int(__int_as_float((int)value) + by);
}
#endif

/// A distance of a tile's word as the left operand of a task: in every half of a word. `part` says which distance is meant.
static __device__ __forceinline__ word left_operand(word value, int part) {
#if defined(DISTANCE_U16)
    return __byte_perm(value, 0, part == 0 ? 0x1010 : 0x3232);
#elif defined(SHIFT)
    return shifted(value, -SHIFT);
#else
    return value;
#endif
}

/// One task in each distance of a word.
static __device__ __forceinline__ word relax_word(word known, word to, word from) {
#if defined(DISTANCE_I32)
    return (word)__viaddmin_s32((int)to, (int)from, (int)known);
#elif defined(DISTANCE_U16)
    return __viaddmin_u16x2(to, from, known);
#else
    return (word)__float_as_int(fminf(__int_as_float((int)known), __int_as_float((int)to) + __int_as_float((int)from)));
#endif
}

/// Two tasks in each distance of a word, by what the architecture does them fastest with. `place` is the word's, row by row, in the
/// thread's tile; `one` is 1, which the compiler must not know.
static __device__ __forceinline__ word relax_word_twice(word known, word to0, word from0, word to1, word from1, int place,
                                                        int one) {
#ifdef ONE_BY_ONE
    return relax_word(relax_word(known, to0, from0), to1, from1);
#endif
#if defined(DISTANCE_I32) || defined(DISTANCE_U16)
    // Of eight words three by the instruction that adds and compares, five by sums on the pipe of multiplications, which minima do
    // not use, and a minimum of three: 22 clocks of the pipe of minima, 20 of the other, 21 instructions. Sums of two halves do not
    // carry: no distance exceeds 2^15 - 1.
    // Of u16 every other eight have them in the opposite order: then as many even as odd registers are read.
    const int turned = DISTANCES_A_WORD == 2 ? place ^ place / 8 % 2 * 7 : place;
    if (ARCHITECTURE < 900 || 3 * turned % 8 < 3) {
        return relax_word(relax_word(known, to0, from0), to1, from1);
    }
    const word first = to0 * (word)one + from0;
    const word second = to1 * (word)one + from1;
#ifdef DISTANCE_U16
    return __vimin3_u16x2(known, first, second);
#else
    return (word)__vimin3_s32((int)known, (int)first, (int)second);
#endif
#else
    const float first = __int_as_float((int)to0) + __int_as_float((int)from0);
    const float second = __int_as_float((int)to1) + __int_as_float((int)from1);
#if !defined(SIGNED_F32)
    if (ARCHITECTURE >= 900 && ARCHITECTURE < 1000) {
        return (word)__vimin3_s32((int)known, __float_as_int(first), __float_as_int(second));
    }
#endif
    // From 10.0 on these two are one instruction.
    return (word)__float_as_int(fminf(fminf(__int_as_float((int)known), first), second));
#endif
}

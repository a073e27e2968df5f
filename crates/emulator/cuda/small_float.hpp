// Floating-point numbers of 16 bits by their bits: the same code for half (10 bits of mantissa) and bfloat16 (7).
#pragma once

template <int mantissa>
struct EmulatedSmall {
    static constexpr int exponent_bits = 15 - mantissa;
    // The exponent of the smallest normal number.
    static constexpr int lowest = 2 - (1 << (exponent_bits - 1));
    static constexpr unsigned infinity = ((1u << exponent_bits) - 1) << mantissa;
    static constexpr unsigned nan = 0x7fff;

    // Rounds once, from a number that double holds.
    static constexpr unsigned short encode(double value, EmulatedRounding mode = EMULATED_ROUND_NEAREST) {
        const emulated_u64 bits = emulated_bits<emulated_u64>(value);
        const bool negative = bits >> 63;
        const unsigned sign = negative ? 0x8000 : 0;
        const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
        if (value != value) {
            return nan;
        }
        if (exponent == 1024) {
            return (unsigned short)(sign | infinity);
        }
        if (value == 0) {
            return (unsigned short)sign;
        }
        const emulated_u64 digits = (bits & 0xfffffffffffffull) | 1ull << 52;
        int shift = 52 - mantissa + (exponent < lowest ? lowest - exponent : 0);
        shift = shift > 60 ? 60 : shift;
        const emulated_u64 kept = digits >> shift, rest = digits & ((1ull << shift) - 1), middle = 1ull << (shift - 1);
        const bool more = mode == EMULATED_ROUND_NEAREST ? rest > middle || (rest == middle && kept & 1)
                          : mode == EMULATED_ROUND_UP    ? rest != 0 && !negative
                          : mode == EMULATED_ROUND_DOWN  ? rest != 0 && negative
                                                         : false;
        const emulated_u64 result = (exponent < lowest ? 0 : (emulated_u64)(exponent - lowest) << mantissa) + kept + more;
        if (result >= infinity) {
            const bool away = mode == EMULATED_ROUND_NEAREST || mode == (negative ? EMULATED_ROUND_DOWN : EMULATED_ROUND_UP);
            return (unsigned short)(sign | (away ? infinity : infinity - 1));
        }
        return (unsigned short)(sign | (unsigned)result);
    }
    static constexpr float decode(unsigned short bits) {
        const unsigned sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
        if (rest >= infinity) {
            return emulated_bits<float>(sign | 0x7f800000u | (rest & ((1u << mantissa) - 1)) << (23 - mantissa));
        }
        if (rest >> mantissa != 0) {
            return emulated_bits<float>(sign | ((rest << (23 - mantissa)) + ((unsigned)(lowest + 126) << 23)));
        }
        // So small that it has no leading one: a multiple of the least number, which float holds as well.
        const float size = (float)rest * emulated_bits<float>(mantissa == 10 ? 0x33800000u : 0x00010000u);
        return emulated_bits<float>(sign | emulated_bits<unsigned>(size));
    }
    // a * b + c, rounded once: the product is exact, and where the sum is not, its last bit says that something was cut off.
    static constexpr unsigned short fma(double a, double b, double c) {
        const double product = a * b, sum = product + c, part = sum - product;
        const double rest = (product - (sum - part)) + (c - part);
        emulated_u64 bits = emulated_bits<emulated_u64>(sum);
        if (rest == rest && rest != 0 && !(bits & 1)) {
            bits = (rest > 0) == (sum > 0) ? bits | 1 : bits - 1;
        }
        return encode(emulated_bits<double>(bits));
    }
    // A whole number in 54 bits, the last of which says that something was cut off.
    template <class T>
    static constexpr double whole(T value) {
        const bool negative = value < 0;
        emulated_u64 size = negative ? 0 - (emulated_u64)value : (emulated_u64)value;
        if (size >> 53) {
            size = (size & ~0xfffull) | (size & 0xfff ? 0x800 : 0);
        }
        return negative ? -(double)size : (double)size;
    }
};

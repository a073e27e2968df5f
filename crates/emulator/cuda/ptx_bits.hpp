// PTX's instructions for bits and bytes.
#pragma once

namespace emulated_ptx {
template <class T>
static __forceinline__ u64 and_bits(u64 a, u64 b) {
    return a & b;
}
template <class T>
static __forceinline__ u64 or_bits(u64 a, u64 b) {
    return a | b;
}
template <class T>
static __forceinline__ u64 xor_bits(u64 a, u64 b) {
    return a ^ b;
}
template <class T>
static __forceinline__ u64 not_bits(u64 a) {
    return a ^ (T)~0ull;
}
template <class T>
static __forceinline__ u64 cnot(u64 a) {
    return (T)a == 0;
}
template <class T>
static __forceinline__ u64 popc(u64 a) {
    return (u64)__builtin_popcountll((u64)(T)a);
}
template <class T>
static __forceinline__ u64 clz(u64 a) {
    return (T)a == 0 ? width<T> : (u64)__builtin_clzll((u64)(T)a) - (64 - width<T>);
}
template <class T>
static __forceinline__ u64 bfind(u64 a) {
    const T x = as<T>(a);
    const u64 bits = x < 0 ? raw((T)~x) : (u64)x;
    return bits == 0 ? 0xffffffffu : 63u - (u64)__builtin_clzll(bits);
}
template <class T>
static __forceinline__ u64 bfind_shiftamt(u64 a) {
    const u64 at = bfind<T>(a);
    return at == 0xffffffffu ? at : width<T> - 1 - at;
}
template <class T>
static __forceinline__ u64 brev(u64 a) {
    u64 result = 0;
    for (unsigned at = 0; at < width<T>; at++) {
        result |= (a >> at & 1) << (width<T> - 1 - at);
    }
    return result;
}
// Where a field begins and how long it is: eight bits count, but for a register of 64 bits all.
template <class T>
static __forceinline__ unsigned bit_count(u64 a) {
    return sizeof(T) == 8 ? (u32)a : (u32)a & 0xff;
}
template <class T>
static __forceinline__ u64 bfe(u64 a, u64 b, u64 c) {
    const unsigned last = width<T> - 1, from = bit_count<T>(b), length = bit_count<T>(c);
    const T x = as<T>(a);
    bool sign = false;
    if constexpr (has_sign<T>) {
        const u64 top = (u64)from + length - 1;
        sign = length != 0 && ((u64)x >> (top > last ? last : top) & 1);
    }
    u64 result = 0;
    for (unsigned at = 0; at <= last; at++) {
        const bool inside = at < length && (u64)from + at <= last;
        result |= (u64)(inside ? (u64)x >> (from + at) & 1 : sign) << at;
    }
    return raw(as<T>(result));
}
template <class T>
static __forceinline__ u64 bfi(u64 a, u64 b, u64 c, u64 d) {
    const unsigned to = bit_count<T>(c), length = bit_count<T>(d);
    u64 result = (T)b;
    for (unsigned at = 0; at < length && (u64)to + at < width<T>; at++) {
        result = (result & ~(1ull << (to + at))) | (a >> at & 1) << (to + at);
    }
    return result;
}
template <class T>
static __forceinline__ u64 szext_clamp(u64 a, u64 b) {
    const unsigned length = (u32)b > 32 ? 32 : (u32)b;
    if (length == 0) {
        return 0;
    }
    const u32 up = (u32)a << (32 - length);
    return has_sign<T> ? (u32)((s32)up >> (32 - length)) : up >> (32 - length);
}
template <class T>
static __forceinline__ u64 szext_wrap(u64 a, u64 b) {
    return szext_clamp<T>(a, b & 31);
}
template <class T>
static __forceinline__ u64 bmsk_clamp(u64 a, u64 b) {
    const u64 from = (u32)a > 32 ? 32 : (u32)a, length = (u32)b > 32 ? 32 : (u32)b;
    return (u32)(((1ull << length) - 1) << from);
}
template <class T>
static __forceinline__ u64 bmsk_wrap(u64 a, u64 b) {
    return (u32)(((1ull << (b & 31)) - 1) << (a & 31));
}
template <class T>
static __forceinline__ u64 fns(u64 mask, u64 base, u64 offset) {
    const s32 step = (s32)offset < 0 ? -1 : 1;
    s32 left = (s32)offset < 0 ? -(s32)offset : (s32)offset;
    for (s32 at = (s32)base; at >= 0 && at < 32; at += step) {
        if ((u32)mask >> at & 1) {
            if (left <= 1) {
                return left == 0 && at != (s32)base ? 0xffffffffu : (u32)at;
            }
            left--;
        } else if (left == 0) {
            return 0xffffffffu;
        }
    }
    return 0xffffffffu;
}
template <class T>
static __forceinline__ u64 lop3(u64 a, u64 b, u64 c, u64 table) {
    u32 result = 0;
    for (unsigned row = 0; row < 8; row++) {
        if (table >> row & 1) {
            result |= (u32)((row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c));
        }
    }
    return result;
}
template <class T>
static __forceinline__ u64 shf_l_wrap(u64 a, u64 b, u64 c) {
    return (u32)((((u64)(u32)b << 32 | (u32)a) << (c & 31)) >> 32);
}
template <class T>
static __forceinline__ u64 shf_r_wrap(u64 a, u64 b, u64 c) {
    return (u32)(((u64)(u32)b << 32 | (u32)a) >> (c & 31));
}
template <class T>
static __forceinline__ u64 shf_l_clamp(u64 a, u64 b, u64 c) {
    return (u32)c >= 32 ? (u32)a : shf_l_wrap<T>(a, b, c);
}
template <class T>
static __forceinline__ u64 shf_r_clamp(u64 a, u64 b, u64 c) {
    return (u32)c >= 32 ? (u32)b : shf_r_wrap<T>(a, b, c);
}
template <class T>
static __forceinline__ u64 prmt(u64 a, u64 b, u64 selectors) {
    const u64 bytes = (u64)(u32)b << 32 | (u32)a;
    u32 result = 0;
    for (unsigned at = 0; at < 4; at++) {
        const unsigned selector = selectors >> (4 * at) & 15, byte = bytes >> (8 * (selector & 7)) & 0xff;
        result |= (selector & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << (8 * at);
    }
    return result;
}
#define EMULATED_PERMUTE(mode, first, second, third, fourth)                                    \
    template <class T>                                                                          \
    static __forceinline__ u64 prmt_##mode(u64 a, u64 b, u64 c) {                               \
        const u32 n = c & 3;                                                                    \
        return prmt<T>(a, b, ((first) & 7) | ((second) & 7) << 4 | ((third) & 7) << 8 | ((fourth) & 7) << 12); \
    }
EMULATED_PERMUTE(f4e, n, n + 1, n + 2, n + 3)
EMULATED_PERMUTE(b4e, n, n - 1, n - 2, n - 3)
EMULATED_PERMUTE(rc8, n, n, n, n)
EMULATED_PERMUTE(ecl, n > 0 ? n : 0, n > 1 ? n : 1, n > 2 ? n : 2, 3)
EMULATED_PERMUTE(ecr, 0, n < 1 ? n : 1, n < 2 ? n : 2, n)
EMULATED_PERMUTE(rc16, 2 * (n & 1), 2 * (n & 1) + 1, 2 * (n & 1), 2 * (n & 1) + 1)
} // namespace emulated_ptx

// Operands of asm statements as registers: a constraint takes what CUDA lets it take.
#pragma once

namespace emulated_ptx {
template <class T>
constexpr bool is_real = __is_same(T, const float) || __is_same(T, float) || __is_same(T, const double) || __is_same(T, double);
template <class T>
constexpr bool is_pointer = false;
template <class T>
constexpr bool is_pointer<T *> = true;

template <class T>
static __forceinline__ u16 take_h(T value) {
    static_assert(sizeof(T) == 2 && !__is_class(T), "an asm operand \"h\" is an integer of 16 bits");
    return __builtin_bit_cast(u16, value);
}
template <class T>
static __forceinline__ u32 take_r(T value) {
    static_assert(sizeof(T) == 4 && !is_real<T> && !__is_class(T) && !__is_union(T), "an asm operand \"r\" is an integer of 32 bits");
    return (u32)value;
}
template <class T>
static __forceinline__ u64 take_l(T value) {
    static_assert(sizeof(T) == 8 && !is_real<T> && !__is_class(T) && !__is_union(T), "an asm operand \"l\" is an integer of 64 bits or a pointer");
    return (u64)value;
}
template <class T>
static __forceinline__ u32 take_f(T value) {
    static_assert(__is_same(T, float), "an asm operand \"f\" is a float");
    return __builtin_bit_cast(u32, value);
}
template <class T>
static __forceinline__ u64 take_d(T value) {
    static_assert(__is_same(T, double), "an asm operand \"d\" is a double");
    return __builtin_bit_cast(u64, value);
}
template <class T>
static __forceinline__ void give_h(T &to, u16 bits) {
    static_assert(sizeof(T) == 2 && !__is_class(T), "an asm operand \"=h\" is an integer of 16 bits");
    to = (T)bits;
}
template <class T>
static __forceinline__ void give_r(T &to, u32 bits) {
    static_assert(sizeof(T) == 4 && !is_real<T> && !__is_class(T), "an asm operand \"=r\" is an integer of 32 bits");
    to = (T)bits;
}
template <class T>
static __forceinline__ void give_l(T &to, u64 bits) {
    static_assert(sizeof(T) == 8 && !is_real<T> && !__is_class(T), "an asm operand \"=l\" is an integer of 64 bits or a pointer");
    to = (T)bits;
}
static __forceinline__ void give_f(float &to, u32 bits) {
    to = __builtin_bit_cast(float, bits);
}
static __forceinline__ void give_d(double &to, u64 bits) {
    to = __builtin_bit_cast(double, bits);
}
static __forceinline__ void give_f(volatile float &to, u32 bits) {
    to = __builtin_bit_cast(float, bits);
}
static __forceinline__ void give_d(volatile double &to, u64 bits) {
    to = __builtin_bit_cast(double, bits);
}
} // namespace emulated_ptx

// Memory as a whole, output, and what ends a kernel.
#pragma once

static __forceinline__ void emulated_range(const void *address, size_t bytes, EmulatedAccess kind, const void *place) {
    for (size_t at = 0; at < bytes; at++) {
        emulated_access((const char *)address + at, 1, kind, place);
    }
}
// By bytes, as CUDA's functions, which need no alignment.
EMULATOR static inline void *memcpy(void *to, const void *from, size_t bytes) {
    emulated_range(from, bytes, EMULATED_READ, __builtin_return_address(0));
    emulated_range(to, bytes, EMULATED_WRITE, __builtin_return_address(0));
    return __builtin_memcpy(to, from, bytes);
}
EMULATOR static inline void *memset(void *to, int value, size_t bytes) {
    emulated_range(to, bytes, EMULATED_WRITE, __builtin_return_address(0));
    return __builtin_memset(to, value, bytes);
}
CUDA_FUNCTION void *malloc(size_t bytes) {
    return emulated_heap(bytes);
}
CUDA_FUNCTION void free(void *address) {
    emulated_heap_free(address);
}
inline void *operator new(size_t bytes) {
    return emulated_heap(bytes);
}
inline void *operator new[](size_t bytes) {
    return emulated_heap(bytes);
}
inline void operator delete(void *address) noexcept {
    emulated_heap_free(address);
}
inline void operator delete[](void *address) noexcept {
    emulated_heap_free(address);
}
inline void operator delete(void *address, size_t) noexcept {
    emulated_heap_free(address);
}
inline void operator delete[](void *address, size_t) noexcept {
    emulated_heap_free(address);
}

EMULATOR static inline int printf(const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int result = emulated_print(format, values);
    va_end(values);
    return result;
}

CUDA_FUNCTION void __trap() {
    emulated_misuse(EMULATED_TRAP, 0, "__trap");
}
CUDA_FUNCTION void __brkpt() {
}
CUDA_FUNCTION void __assertfail(const char *condition, const char *, unsigned line, const char *, size_t) {
    emulated_misuse(EMULATED_ASSERT, line, condition);
}
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? (void)0 : emulated_misuse(EMULATED_ASSERT, __LINE__, #__VA_ARGS__))
#endif

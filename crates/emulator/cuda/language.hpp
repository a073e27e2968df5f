// The words that CUDA adds to C++ and that a host compiler can be told by macros. What says where a variable or function lives (__shared__, __global__,
// __launch_bounds__ and so on) is no macro: the translator has to see it.
#pragma once

#define __host__
#define __forceinline__ inline __attribute__((always_inline))
// A hint about speed: what passes by value is seen in what is inlined alone.
#define __noinline__
#define __inline_hint__
#define __nv_pure__ __attribute__((pure))
// An attribute, and not alignas, since CUDA takes it on either side of a type.
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define __device_builtin__
#define __cudart_builtin__
#define __thread__

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 48
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 0
#define CUDART_VERSION 13000
#ifdef __CUDA_ARCH__
#define __CUDA_ARCH_LIST__ __CUDA_ARCH__
#else
#error "The architecture is to be given: -D__CUDA_ARCH__=900"
#endif
#define __CUDA_FTZ 0
#define __CUDA_PREC_DIV 1
#define __CUDA_PREC_SQRT 1
#define __USE_FAST_MATH__ 0

// The compilers' own names are taken away at the end of cuda.hpp, so headers that a kernel includes ask for this one.
#ifdef __clang__
#define EMULATED_CLANG 1
#else
// The expression is not evaluated in CUDA either.
#define __builtin_assume(...) ((void)sizeof(!(__VA_ARGS__)))
#endif

// Not traced, and not inlined into what is: the tracing compiler would otherwise report the emulator's own accesses.
#define EMULATOR __attribute__((no_sanitize("thread"), no_sanitize("address"), no_sanitize_coverage, noinline))

// Before each function that CUDA builds in. A kernel file may define one of the same name and parameters, which then takes its place: an ordinary function
// goes before a template, where two ordinary functions would clash.
// CUDA_FUNCTION is always inlined: what it does to memory and to other threads then has a place in the kernel. CUDA_ARITHMETIC does no such thing, and kernels
// may pass it on by its address, which goes ill with functions that are always inlined.
#define CUDA_FUNCTION template <int = 0> static __forceinline__
#define CUDA_ARITHMETIC template <int = 0> static inline

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;
typedef __builtin_va_list va_list;
#define NULL __null
#define va_start(list, last) __builtin_va_start(list, last)
#define va_end(list) __builtin_va_end(list)
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_copy(to, from) __builtin_va_copy(to, from)

// Types that functions take without deducing them.
template <class T>
struct EmulatedSame {
    typedef T type;
};
template <class T>
using emulated_same = typename EmulatedSame<T>::type;

// Types that stand in a list.
template <class T, class... List>
constexpr bool emulated_one_of = (__is_same(T, List) || ...);
// A parameter `class = emulated_if<condition>` leaves a template out where the condition does not hold. NVRTC takes C++17, so there are no concepts here.
template <bool>
struct EmulatedIf {};
template <>
struct EmulatedIf<true> {
    typedef void type;
};
template <bool condition>
using emulated_if = typename EmulatedIf<condition>::type;

// The same bits as another type.
template <class To, class From>
static __forceinline__ constexpr To emulated_bits(From from) {
    return __builtin_bit_cast(To, from);
}

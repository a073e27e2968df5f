// As much of CUDA C++ as the kernels of this project use, for a host compiler: what the emulated device puts in front of a
// kernel file. One host thread runs the CUDA threads of a block in turns, so what belongs to a block is thread_local.
//
// REPRO_TRACED is defined where the device is to see every access: the compiler then calls the __tsan_ functions of
// runtime.cpp before each load and store, and what it would miss or split is announced here.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <utility>

#define REPRO_EMULATED 1

#define __global__ __attribute__((visibility("default"), noinline))
#define __device__
#define __host__
#ifdef REPRO_GUARDED
// A guard beside each variable: a pointer that leaves one is not at once in the next.
struct alignas(16) EmulatedGuard {
    char bytes[1024];
};
#define EMULATED_JOINED(a, b) a##b
#define EMULATED_GUARD(number) EMULATED_JOINED(emulated_guard_, number)
#define __shared__ thread_local EmulatedGuard EMULATED_GUARD(__COUNTER__) __attribute__((used)); thread_local
#else
#define __shared__ thread_local
#endif
#define __constant__ const
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) alignas(bytes)
#define __launch_bounds__(...)

// Not traced, and not inlined into what is: the tracing compiler would otherwise report the emulator's own accesses.
#define EMULATOR __attribute__((no_sanitize("thread"), noinline))

struct uint3 {
    unsigned x, y, z;
};

// ---- where a thread is. Constant while a thread lives, which also keeps these reads out of the trace.

struct EmulatedIndexes {
    uint3 thread, block, block_extent, grid_extent;
};
extern "C" {
extern __attribute__((visibility("hidden"))) const __thread EmulatedIndexes emulated_indexes;
}
#define threadIdx (emulated_indexes.thread)
#define blockIdx (emulated_indexes.block)
#define blockDim (emulated_indexes.block_extent)
#define gridDim (emulated_indexes.grid_extent)
#define warpSize 32

// ---- what runtime.cpp passes on to the device

// Two barriers of the text stay two: not to be merged, nor moved to where other threads go.
#ifdef __clang__
#define EMULATED_APART __attribute__((convergent, nomerge))
#else
#define EMULATED_APART
#endif

enum EmulatedAccess { EMULATED_READ, EMULATED_WRITE, EMULATED_ATOMIC };
enum EmulatedExchange { EMULATED_SYNC, EMULATED_SHUFFLE, EMULATED_BALLOT };
extern "C" {
void emulated_access(const void *address, size_t bytes, EmulatedAccess kind, const void *place);
void emulated_deliberate_store(const void *address);
void emulated_lowering_store(const void *address);
EMULATED_APART void emulated_barrier();
EMULATED_APART uint64_t emulated_exchange(EmulatedExchange kind, unsigned mask, uint64_t value, unsigned source);
void *emulated_dynamic_shared();
void emulated_fence();
}

// ---- barriers, warps

static __forceinline__ void __syncthreads() {
    emulated_barrier();
}
static __forceinline__ void __syncwarp(unsigned mask = 0xffffffffu) {
    emulated_exchange(EMULATED_SYNC, mask, 0, 0);
}
// In runtime.cpp, since the tracing compiler would make a call of its own runtime out of a fence. To the checker a fence
// orders nothing: it has no notion of a flag that another thread waits for.
static __forceinline__ void __threadfence() {
    emulated_fence();
}
static __forceinline__ void __threadfence_block() {
    emulated_fence();
}
static __forceinline__ void __threadfence_system() {
    emulated_fence();
}
static inline unsigned emulated_lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize;
}
static __forceinline__ unsigned __ballot_sync(unsigned mask, int predicate) {
    return (unsigned)emulated_exchange(EMULATED_BALLOT, mask, predicate != 0, 0);
}
static __forceinline__ int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
static __forceinline__ int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, !predicate) == 0;
}
template <class T>
static __forceinline__ T emulated_shuffle(unsigned mask, T value, unsigned source) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 4 or 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = emulated_exchange(EMULATED_SHUFFLE, mask, bits, source);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}
template <class T>
static __forceinline__ T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
    const unsigned first = emulated_lane() & ~(width - 1u);
    return emulated_shuffle(mask, value, first + (source & (width - 1)));
}
template <class T>
static __forceinline__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    const unsigned lane = emulated_lane();
    return emulated_shuffle(mask, value, (lane & (width - 1u)) < delta ? lane : lane - delta);
}
template <class T>
static __forceinline__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
    const unsigned lane = emulated_lane();
    return emulated_shuffle(mask, value, (lane & (width - 1u)) + delta < (unsigned)width ? lane + delta : lane);
}
template <class T>
static __forceinline__ T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = warpSize) {
    const unsigned lane = emulated_lane(), source = lane ^ (unsigned)lanes;
    return emulated_shuffle(mask, value, source / width > lane / width ? lane : source);
}

// ---- arithmetic

static __forceinline__ float __int_as_float(int bits) {
    return __builtin_bit_cast(float, bits);
}
static __forceinline__ float __uint_as_float(unsigned bits) {
    return __builtin_bit_cast(float, bits);
}
static __forceinline__ int __float_as_int(float value) {
    return __builtin_bit_cast(int, value);
}
static __forceinline__ unsigned __float_as_uint(float value) {
    return __builtin_bit_cast(unsigned, value);
}
// The other operand where one is NaN, and -0 is less than 0, as CUDA has it.
static __forceinline__ float emulated_fminf(float a, float b) {
    if (a == b) {
        return __uint_as_float(__float_as_uint(a) | __float_as_uint(b));
    }
    return a < b || b != b ? a : b;
}
static __forceinline__ float emulated_fmaxf(float a, float b) {
    if (a == b) {
        return __uint_as_float(__float_as_uint(a) & __float_as_uint(b));
    }
    return a > b || b != b ? a : b;
}
#define fminf emulated_fminf
#define fmaxf emulated_fmaxf
#define EMULATED_MIN_MAX(type)                                   \
    static __forceinline__ type min(type a, type b) {            \
        return a < b ? a : b;                                    \
    }                                                            \
    static __forceinline__ type max(type a, type b) {            \
        return a > b ? a : b;                                    \
    }
EMULATED_MIN_MAX(int)
EMULATED_MIN_MAX(unsigned)
EMULATED_MIN_MAX(long long)
EMULATED_MIN_MAX(unsigned long long)
static __forceinline__ float min(float a, float b) {
    return fminf(a, b);
}
static __forceinline__ float max(float a, float b) {
    return fmaxf(a, b);
}
static __forceinline__ float __fadd_rn(float a, float b) {
    return a + b;
}
static __forceinline__ int __viaddmin_s32(int a, int b, int c) {
    return min((int)((unsigned)a + (unsigned)b), c);
}
static __forceinline__ int __vimin3_s32(int a, int b, int c) {
    return min(min(a, b), c);
}
static __forceinline__ int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}
static __forceinline__ int __ffs(int bits) {
    return __builtin_ffs(bits);
}
static __forceinline__ int __clz(int bits) {
    return bits == 0 ? 32 : __builtin_clz((unsigned)bits);
}
template <class T>
static __forceinline__ T __ldg(const T *place) {
    return *place;
}

// ---- vector types: moved as a whole by one instruction, which the tracing compiler would split

extern "C" void emulated_move(void *to, const void *from, size_t bytes);
#ifdef REPRO_TRACED
#define EMULATED_MOVES(name)                                     \
    name() = default;                                            \
    __forceinline__ name(const name &other) {                    \
        emulated_move(this, &other, sizeof(name));               \
    }                                                            \
    __forceinline__ name &operator=(const name &other) {         \
        emulated_move(this, &other, sizeof(name));               \
        return *this;                                            \
    }
#else
#define EMULATED_MOVES(name) name() = default;
#endif
#define EMULATED_VECTOR(name, type)                              \
    struct alignas(2 * sizeof(type)) name##2 {                   \
        type x, y;                                               \
        EMULATED_MOVES(name##2)                                  \
        __forceinline__ name##2(type x, type y) : x(x), y(y) {   \
        }                                                        \
    };                                                           \
    struct alignas(4 * sizeof(type)) name##4 {                   \
        type x, y, z, w;                                         \
        EMULATED_MOVES(name##4)                                  \
        __forceinline__ name##4(type x, type y, type z, type w) : x(x), y(y), z(z), w(w) { \
        }                                                        \
    };                                                           \
    static __forceinline__ name##2 make_##name##2(type x, type y) { \
        return name##2(x, y);                                    \
    }                                                            \
    static __forceinline__ name##4 make_##name##4(type x, type y, type z, type w) { \
        return name##4(x, y, z, w);                              \
    }
EMULATED_VECTOR(float, float)
EMULATED_VECTOR(int, int)
EMULATED_VECTOR(uint, unsigned)

// ---- atomics

template <class T, class Change>
EMULATOR T emulated_atomic(T *place, Change change) {
    emulated_access(place, sizeof(T), EMULATED_ATOMIC, __builtin_return_address(0));
    T known, wanted;
    __atomic_load(place, &known, __ATOMIC_RELAXED);
    do {
        wanted = change(known);
    } while (!__atomic_compare_exchange(place, &known, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return known;
}
#define EMULATED_ATOMIC_FUNCTION(name, result)                   \
    template <class T>                                           \
    static __forceinline__ T name(T *place, std::type_identity_t<T> value) { \
        return emulated_atomic(place, [value](T known) -> T { return result; }); \
    }
EMULATED_ATOMIC_FUNCTION(atomicAdd, known + value)
EMULATED_ATOMIC_FUNCTION(atomicSub, known - value)
EMULATED_ATOMIC_FUNCTION(atomicMin, value < known ? value : known)
EMULATED_ATOMIC_FUNCTION(atomicMax, value > known ? value : known)
EMULATED_ATOMIC_FUNCTION(atomicExch, ((void)known, value))
EMULATED_ATOMIC_FUNCTION(atomicAnd, known &value)
EMULATED_ATOMIC_FUNCTION(atomicOr, known | value)
template <class T>
static __forceinline__ T atomicCAS(T *place, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
    return emulated_atomic(place, [=](T known) -> T { return known == expected ? value : known; });
}

// ---- how the device starts a thread: arguments lie where the driver would have them

template <class... Parameters, size_t... At>
EMULATOR void emulated_invoke(void (*kernel)(Parameters...), void **arguments, std::index_sequence<At...>) {
    kernel(*static_cast<Parameters *>(arguments[At])...);
}
template <class... Parameters>
EMULATOR void emulated_call(void (*kernel)(Parameters...), void **arguments) {
    emulated_invoke(kernel, arguments, std::index_sequence_for<Parameters...>());
}
// How many parameters it has, and the bytes of each where there is room for them.
template <class... Parameters>
EMULATOR int emulated_parameters(void (*)(Parameters...), uint64_t *bytes) {
    if (bytes != nullptr) {
        ((*bytes++ = sizeof(Parameters)), ...);
    }
    return sizeof...(Parameters);
}
#define EMULATED_ENTRY(name)                                     \
    extern "C" {                                                 \
    EMULATOR __attribute__((visibility("default"))) void emulated_start_##name(void **arguments) { \
        emulated_call(name, arguments);                          \
    }                                                            \
    EMULATOR __attribute__((visibility("default"))) int emulated_parameters_##name(uint64_t *bytes) { \
        return emulated_parameters(name, bytes);                         \
    }                                                            \
    }

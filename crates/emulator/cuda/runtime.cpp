// The other half of an emulated kernel library: what the code that cuda.hpp and the tracing compiler make calls, passed on
// to the device. Compiled without tracing.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORT extern "C" __attribute__((visibility("default")))
#define HIDDEN extern "C" __attribute__((visibility("hidden")))
#define PLACE __builtin_return_address(0)

enum { READ, WRITE, ATOMIC };
enum { SAME_BITS, LOWER };

// The same as in hooks.rs.
struct Hooks {
    // By one instruction, whose address must be a multiple of its bytes.
    void (*access)(const void *address, size_t bytes, unsigned kind, const void *place);
    // By as many as it takes.
    void (*range)(const void *address, size_t bytes, unsigned kind, const void *place);
    void (*deliberate_store)(const void *address, unsigned allowed);
    void (*beyond_array)(const void *place);
    void (*barrier)(const void *place);
    uint64_t (*exchange)(unsigned kind, unsigned mask, uint64_t value, unsigned source, const void *place);
    void *(*dynamic_shared)();
};
static Hooks hooks;

struct Indexes {
    unsigned numbers[12];
};
extern "C" {
__attribute__((visibility("hidden"))) __thread Indexes emulated_indexes;
}

EXPORT void emulated_attach(const Hooks *given) {
    hooks = *given;
}
EXPORT Indexes *emulated_indexes_here() {
    return &emulated_indexes;
}

HIDDEN void emulated_access(const void *address, size_t bytes, unsigned kind, const void *place) {
#ifdef REPRO_TRACED
    hooks.access(address, bytes, kind, place);
#else
    (void)address, (void)bytes, (void)kind, (void)place;
#endif
}
HIDDEN void emulated_deliberate_store(const void *address) {
#ifdef REPRO_TRACED
    hooks.deliberate_store(address, SAME_BITS);
#else
    (void)address;
#endif
}
HIDDEN void emulated_lowering_store(const void *address) {
#ifdef REPRO_TRACED
    hooks.deliberate_store(address, LOWER);
#else
    (void)address;
#endif
}
HIDDEN void emulated_barrier() {
    hooks.barrier(PLACE);
}
HIDDEN uint64_t emulated_exchange(unsigned kind, unsigned mask, uint64_t value, unsigned source) {
    return hooks.exchange(kind, mask, value, source, PLACE);
}
HIDDEN void *emulated_dynamic_shared() {
    return hooks.dynamic_shared();
}
HIDDEN void emulated_fence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
HIDDEN void emulated_move(void *to, const void *from, size_t bytes) {
    emulated_access(from, bytes, READ, PLACE);
    emulated_access(to, bytes, WRITE, PLACE);
    memcpy(to, from, bytes);
}

#ifdef REPRO_TRACED
// What compilers call for -fsanitize=thread. Their own runtime is not linked.
// An unaligned access is one of a type that promises less than its size, which a GPU's compiler takes apart.
#define TRACED(bytes)                                                          \
    HIDDEN void __tsan_read##bytes(void *at) {                                 \
        hooks.access(at, bytes, READ, PLACE);                                  \
    }                                                                          \
    HIDDEN void __tsan_write##bytes(void *at) {                                \
        hooks.access(at, bytes, WRITE, PLACE);                                 \
    }                                                                          \
    HIDDEN void __tsan_unaligned_read##bytes(void *at) {                       \
        hooks.range(at, bytes, READ, PLACE);                                   \
    }                                                                          \
    HIDDEN void __tsan_unaligned_write##bytes(void *at) {                      \
        hooks.range(at, bytes, WRITE, PLACE);                                  \
    }                                                                          \
    HIDDEN void __tsan_volatile_read##bytes(void *at) {                        \
        hooks.access(at, bytes, READ, PLACE);                                  \
    }                                                                          \
    HIDDEN void __tsan_volatile_write##bytes(void *at) {                       \
        hooks.access(at, bytes, WRITE, PLACE);                                 \
    }
TRACED(1)
TRACED(2)
TRACED(4)
TRACED(8)
TRACED(16)
HIDDEN void __tsan_read_range(void *at, size_t bytes) {
    hooks.range(at, bytes, READ, PLACE);
}
HIDDEN void __tsan_write_range(void *at, size_t bytes) {
    hooks.range(at, bytes, WRITE, PLACE);
}
HIDDEN void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
    hooks.range(from, bytes, READ, PLACE);
    hooks.range(to, bytes, WRITE, PLACE);
    return memcpy(to, from, bytes);
}
HIDDEN void *__tsan_memset(void *to, int value, size_t bytes) {
    hooks.range(to, bytes, WRITE, PLACE);
    return memset(to, value, bytes);
}
// Called for -fsanitize=bounds.
HIDDEN void __ubsan_handle_out_of_bounds(void *, void *) {
    hooks.beyond_array(PLACE);
}
HIDDEN void __tsan_init() {
}
HIDDEN void __tsan_func_entry(void *) {
}
HIDDEN void __tsan_func_exit(void *) {
}
#endif

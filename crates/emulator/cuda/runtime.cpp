// The other half of an emulated kernel library: what kernels and the code of the tracing compiler call, passed on to the emulator.
// Compiled without tracing.

#include "runtime.hpp"

#include <stdio.h>
#include <string.h>

#define EXPORT extern "C" __attribute__((visibility("default")))
#define HIDDEN extern "C" __attribute__((visibility("hidden")))
#define PLACE __builtin_return_address(0)

typedef __UINTPTR_TYPE__ uintptr;
typedef __UINT16_TYPE__ u16;
typedef __UINT8_TYPE__ u8;

// ---- what the emulator and this file share: the same as in report.rs, request.rs and stack.rs

struct Access {
    uintptr address;
    emulated_u32 place;
    u16 range;
    u8 bytes;
    u8 kind;
};
struct Range {
    uintptr start, bytes;
    uintptr tag;
};
const unsigned RANGES = 8;
struct Recorder {
    Access *next, *end;
    // Of the store that was announced.
    uintptr expected;
    Range ranges[RANGES];
};
// At the start of the slot that a thread's stack lies in.
struct Head {
    char *image;
    uintptr image_bytes;
    Recorder *recorder;
    void *context;
    // Where the library's thread-local block has room for the indexes, which nobody uses.
    uintptr indexes_offset;
    EmulatedIndexes indexes;
    // Of this file alone: parts of the code that have run since a thread on this stack last asked.
    uintptr parts;
};
const uintptr SLOT = (uintptr)1 << 20;
// Bytes of a slot below the stack: the head's page and the one that whatever runs over the stack's end meets.
const uintptr BELOW = 2 * 4096;

enum What {
    NEXT_THREAD, LOCATE, RANGE, DELIBERATE, BEYOND_ARRAY, ATOMIC_BEGIN, ATOMIC_END, FENCE, PROXY_FENCE, BARRIER, EXCHANGE,
    CLUSTER_ARRIVE, CLUSTER_WAIT, PAUSE, COPY, COPY_COMMIT, COPY_WAIT, COPY_ARRIVE, MBARRIER, BULK, TENSOR, BULK_COMMIT,
    BULK_WAIT, FROM_SHARED, MAP_SHARED, SPACE_OF, DEPENDENTS_LAUNCH, DEPENDENCY_WAIT, MISUSE, CLOCK, HEAP, HEAP_FREE, PRINT, FULL
};
struct Request {
    emulated_u64 what;
    emulated_u64 numbers[8];
    emulated_u64 place;
};

extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];
#ifdef REPRO_BOUNDS
extern "C" __attribute__((visibility("hidden"))) const char _end[];
// How many of the eight bytes around an address are of a variable, from the first on: 0 for all, less for none. The same place as in guards.rs.
static inline int of_variable(uintptr at) {
    return *(signed char *)((at >> 3) + ((uintptr)1 << 44));
}
// The variables around which GCC left room, for guards.rs.
extern "C" __attribute__((visibility("default"))) struct {
    const void *first;
    uintptr count;
} emulated_guarded = {};
HIDDEN void __asan_register_globals(const void *first, uintptr count) {
    emulated_guarded = {first, count};
}
HIDDEN void __asan_unregister_globals(const void *, uintptr) {
}
#endif

static emulated_u64 (*ask_emulator)(void *context, const Request *request);
EXPORT void emulated_attach(emulated_u64 (*hook)(void *, const Request *)) {
    ask_emulator = hook;
}

static inline Head *head() {
    return (Head *)((uintptr)__builtin_frame_address(0) & ~(SLOT - 1));
}
static inline emulated_u32 place_of(const void *place) {
    return (emulated_u32)((const char *)place - __ehdr_start);
}
template <class... Numbers>
static inline emulated_u64 ask(What what, const void *place, Numbers... numbers) {
    const Request request = {what, {(emulated_u64)numbers...}, place_of(place)};
    head()->parts = 0;
    return ask_emulator(head()->context, &request);
}

// ---- shared memory: the library's thread-local block, of which every CUDA block has one of its own

extern "C" {
__attribute__((visibility("default"))) __thread EmulatedIndexes emulated_indexes_here __asm__("emulated_indexes");
}
// Behind everything else that is thread-local, in a file of its own which is linked last.
extern "C" __attribute__((visibility("hidden"))) __thread char emulated_dynamic[];
HIDDEN void *emulated_dynamic_shared() {
    return emulated_dynamic;
}
struct TlsIndex {
    unsigned long module, offset;
};
HIDDEN void *__tls_get_addr(TlsIndex *index) {
    Head *const here = head();
    return index->offset == here->indexes_offset ? (char *)&here->indexes : here->image + index->offset;
}

// ---- accesses

// Whether an address is that of a thread's own variable.
static inline bool is_own(const void *at) {
    return (uintptr)at - (uintptr)head() - BELOW < SLOT - BELOW;
}

#ifdef REPRO_TRACED
// Whether an access is one that nobody has to know of. Clang also reports what it reads of the indexes.
static inline bool is_unwatched(const void *at, unsigned kind) {
#ifdef __clang__
    if (kind == EMULATED_READ && (uintptr)at - (uintptr)&head()->indexes < sizeof(EmulatedIndexes)) {
        return true;
    }
#endif
    return is_own(at);
}
static inline __attribute__((always_inline)) void record(const void *at, uintptr bytes, unsigned kind, const void *place) {
    const uintptr address = (uintptr)at;
    Head *const here = head();
    if (is_unwatched(at, kind)) {
        return;
    }
    Recorder *const recorder = here->recorder;
    if ((address & (bytes - 1)) == 0 && recorder->next != recorder->end && address != recorder->expected) {
        for (unsigned i = 0; i < RANGES; i++) {
            const Range &range = recorder->ranges[i];
            const uintptr offset = address - range.start;
            if (offset < range.bytes && bytes <= range.bytes - offset) {
                *recorder->next++ = {address, place_of(place), (u16)range.tag, (u8)bytes, (u8)kind};
                return;
            }
        }
    }
    ask(LOCATE, place, address, bytes, kind);
}
static inline void record_volatile(const void *at, uintptr bytes, unsigned kind, const void *place) {
    if (!is_own(at)) {
        ask(LOCATE, place, at, bytes, kind);
    }
}
static inline void record_range(const void *at, uintptr bytes, unsigned kind, const void *place) {
    if (!is_unwatched(at, kind) && bytes > 0) {
        ask(RANGE, place, at, bytes, kind);
    }
}
#else
static inline void record(const void *, uintptr, unsigned, const void *) {
}
#endif

HIDDEN void emulated_access(const void *address, emulated_size bytes, EmulatedAccess kind, const void *place) {
#ifdef REPRO_TRACED
    kind == EMULATED_READ || kind == EMULATED_WRITE || kind == EMULATED_READ_ONLY ? record(address, bytes, kind, place)
                                                                                  : record_volatile(address, bytes, kind, place);
#endif
}
HIDDEN void emulated_deliberate_store(const void *address) {
#ifdef REPRO_TRACED
    ask(DELIBERATE, PLACE, address, 0);
#else
    (void)address;
#endif
}
HIDDEN void emulated_lowering_store(const void *address) {
#ifdef REPRO_TRACED
    ask(DELIBERATE, PLACE, address, 1);
#else
    (void)address;
#endif
}

// ---- order

HIDDEN void emulated_atomic_begin(const void *address, emulated_size bytes, EmulatedAccess kind, EmulatedOrder order, EmulatedScope scope, const void *place) {
    ask(ATOMIC_BEGIN, place, address, bytes, kind, order, scope);
}
HIDDEN void emulated_atomic_end(const void *address, EmulatedOrder order, EmulatedScope scope) {
    ask(ATOMIC_END, PLACE, address, order, scope);
}
HIDDEN void emulated_fence(EmulatedOrder order, EmulatedScope scope) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    ask(FENCE, PLACE, order, scope);
}
HIDDEN void emulated_proxy_fence() {
    ask(PROXY_FENCE, PLACE);
}
HIDDEN emulated_u64 emulated_barrier(unsigned id, unsigned threads, EmulatedBarrier kind, emulated_u64 predicate) {
    return ask(BARRIER, PLACE, id, threads, kind, predicate);
}
HIDDEN const EmulatedLanes *emulated_exchange(EmulatedExchange kind, unsigned mask, emulated_u64 value) {
    return (const EmulatedLanes *)ask(EXCHANGE, PLACE, kind, mask, value);
}
HIDDEN void emulated_cluster_arrive(EmulatedOrder order) {
    ask(CLUSTER_ARRIVE, PLACE, order);
}
HIDDEN void emulated_cluster_wait(EmulatedOrder order) {
    ask(CLUSTER_WAIT, PLACE, order);
}
HIDDEN void emulated_pause() {
    ask(PAUSE, PLACE);
}

// ---- asynchronous copies and what waits for them

HIDDEN void emulated_copy_async(void *shared, const void *global, unsigned bytes, unsigned source_bytes) {
    ask(COPY, PLACE, shared, global, bytes, source_bytes);
}
HIDDEN void emulated_copy_commit() {
    ask(COPY_COMMIT, PLACE);
}
HIDDEN void emulated_copy_wait(unsigned pending) {
    ask(COPY_WAIT, PLACE, pending);
}
HIDDEN void emulated_copy_arrive(emulated_u64 *mbarrier, int noinc) {
    ask(COPY_ARRIVE, PLACE, mbarrier, noinc);
}
HIDDEN emulated_u64 emulated_mbarrier(EmulatedMbarrier what, emulated_u64 *mbarrier, emulated_u64 a, emulated_u64 b) {
    return ask(MBARRIER, PLACE, what, mbarrier, a, b);
}
// A state is the number of its phase, and how many arrivals were missing, in the highest bits.
HIDDEN emulated_u64 emulated_mbarrier_pending(emulated_u64 state) {
    return state >> 40;
}
HIDDEN void emulated_bulk(EmulatedBulk what, void *to, const void *from, unsigned bytes, emulated_u64 *mbarrier, unsigned cluster_mask, EmulatedReduction reduction, EmulatedElement element) {
    ask(BULK, PLACE, what, to, from, bytes, mbarrier, cluster_mask, reduction, element);
}
HIDDEN void emulated_tensor(EmulatedBulk what, const void *map, unsigned dimensions, const int *coordinates, void *shared, emulated_u64 *mbarrier, unsigned cluster_mask, EmulatedReduction reduction) {
    // Whether the map is an argument: the thread's own.
    const unsigned own = is_own(map) ? 256 : 0;
    ask(TENSOR, PLACE, what, map, dimensions | own, coordinates, shared, mbarrier, cluster_mask, reduction);
}
HIDDEN void emulated_bulk_commit() {
    ask(BULK_COMMIT, PLACE);
}
HIDDEN void emulated_bulk_wait(unsigned pending, int read_only) {
    ask(BULK_WAIT, PLACE, pending, read_only);
}

// ---- addresses: a shared one is the number of the block in its cluster and one, then the offset into its block's memory

const unsigned OFFSET_BITS = 20;
HIDDEN emulated_u32 emulated_to_shared(const void *generic) {
    const uintptr offset = (uintptr)generic - (uintptr)head()->image;
    if (offset < head()->image_bytes) {
        const EmulatedIndexes &indexes = *(const EmulatedIndexes *)&emulated_indexes;
        const uint3 place = indexes.cluster_block, extent = indexes.cluster_extent;
        const unsigned rank = place.x + extent.x * (place.y + extent.y * place.z);
        return (rank + 1) << OFFSET_BITS | (emulated_u32)offset;
    }
    return (emulated_u32)ask(MAP_SHARED, PLACE, generic, ~0ull);
}
HIDDEN void *emulated_from_shared(emulated_u32 shared) {
    return (void *)ask(FROM_SHARED, PLACE, shared);
}
HIDDEN emulated_u32 emulated_map_shared(emulated_u32 shared, unsigned block_of_cluster) {
    return (emulated_u32)ask(MAP_SHARED, PLACE, shared, block_of_cluster);
}
enum { SHARED = 1, GLOBAL = 2, LOCAL = 3 };
static int is_in(const void *generic, int space, const void *place) {
    return (is_own(generic) ? LOCAL : (int)ask(SPACE_OF, place, generic)) == space;
}
HIDDEN int emulated_is_shared(const void *generic) {
    return is_in(generic, SHARED, PLACE);
}
HIDDEN int emulated_is_global(const void *generic) {
    return is_in(generic, GLOBAL, PLACE);
}
HIDDEN int emulated_is_local(const void *generic) {
    return is_in(generic, LOCAL, PLACE);
}

// ---- the rest

HIDDEN void emulated_dependents_launch() {
    ask(DEPENDENTS_LAUNCH, PLACE);
}
HIDDEN void emulated_dependency_wait() {
    ask(DEPENDENCY_WAIT, PLACE);
}
HIDDEN void emulated_misuse(EmulatedMisuse what, unsigned detail, const char *words) {
    ask(MISUSE, PLACE, what, detail, words);
}
HIDDEN emulated_u64 emulated_clock() {
    return ask(CLOCK, PLACE);
}
HIDDEN void *emulated_heap(emulated_size bytes) {
    return (void *)ask(HEAP, PLACE, bytes);
}
HIDDEN void emulated_heap_free(void *address) {
    ask(HEAP_FREE, PLACE, address);
}
HIDDEN int emulated_print(const char *format, __builtin_va_list values) {
    char text[1024];
    const int length = vsnprintf(text, sizeof text, format, values);
    // Negative where the format or its values make no text.
    if (length > 0) {
        ask(PRINT, PLACE, text, length < (int)sizeof text ? length : (int)sizeof text - 1);
    }
    return length;
}

#ifdef REPRO_BOUNDS
// What GCC calls for -fsanitize=kernel-address before each access.
static inline __attribute__((always_inline)) void record_within(const void *at, uintptr bytes, unsigned kind, const void *place) {
    const uintptr start = (uintptr)at, last = start + bytes - 1;
    if (is_own(at) || start - (uintptr)__ehdr_start < (uintptr)(_end - __ehdr_start)) {
        // Nothing of a thread lies below what it runs.
        bool beyond = is_own(at) && at < __builtin_frame_address(0);
        for (uintptr part = start & ~(uintptr)7; part <= last; part += 8) {
            const int some = of_variable(part);
            beyond |= some != 0 && (last - part > 7 || (int)(last - part) >= some);
        }
        if (beyond) {
            ask(BEYOND_ARRAY, place);
        }
    }
    if ((start & (bytes - 1)) == 0 && bytes <= 16) {
        record(at, bytes, kind, place);
    } else {
        record_range(at, bytes, kind, place);
    }
}
#define WITHIN(bytes)                                                          \
    HIDDEN void __asan_load##bytes##_noabort(const void *at) {                 \
        record_within(at, bytes, EMULATED_READ, PLACE);                        \
    }                                                                          \
    HIDDEN void __asan_store##bytes##_noabort(const void *at) {                \
        record_within(at, bytes, EMULATED_WRITE, PLACE);                       \
    }
WITHIN(1)
WITHIN(2)
WITHIN(4)
WITHIN(8)
WITHIN(16)
HIDDEN void __asan_loadN_noabort(const void *at, uintptr bytes) {
    record_within(at, bytes, EMULATED_READ, PLACE);
}
HIDDEN void __asan_storeN_noabort(const void *at, uintptr bytes) {
    record_within(at, bytes, EMULATED_WRITE, PLACE);
}
// The stack of a thread that ends so is not used again.
HIDDEN void __asan_handle_no_return() {
}
// Called in each part of the code. Loads and stores of a variable by its name are not seen: whoever does much may wait for others.
HIDDEN void __sanitizer_cov_trace_pc() {
    if (ask_emulator != nullptr && ++head()->parts == 1 << 14) {
        ask(PAUSE, PLACE);
    }
}
// Before the compiler's own function for the library's end, which is no thread's.
__attribute__((destructor)) static void detach() {
    ask_emulator = nullptr;
}
#elif defined REPRO_TRACED
// What compilers call for -fsanitize=thread. Their own runtime is not linked.
// An unaligned access is one of a type that promises less than its size, which a GPU's compiler takes apart.
#define TRACED(bytes)                                                          \
    HIDDEN void __tsan_read##bytes(void *at) {                                 \
        record(at, bytes, EMULATED_READ, PLACE);                               \
    }                                                                          \
    HIDDEN void __tsan_write##bytes(void *at) {                                \
        record(at, bytes, EMULATED_WRITE, PLACE);                              \
    }                                                                          \
    HIDDEN void __tsan_unaligned_read##bytes(void *at) {                       \
        record_range(at, bytes, EMULATED_READ, PLACE);                         \
    }                                                                          \
    HIDDEN void __tsan_unaligned_write##bytes(void *at) {                      \
        record_range(at, bytes, EMULATED_WRITE, PLACE);                        \
    }                                                                          \
    HIDDEN void __tsan_volatile_read##bytes(void *at) {                        \
        record_volatile(at, bytes, EMULATED_VOLATILE_READ, PLACE);             \
    }                                                                          \
    HIDDEN void __tsan_volatile_write##bytes(void *at) {                       \
        record_volatile(at, bytes, EMULATED_VOLATILE_WRITE, PLACE);            \
    }                                                                          \
    HIDDEN void __tsan_unaligned_volatile_read##bytes(void *at) {              \
        record_volatile(at, bytes, EMULATED_VOLATILE_READ, PLACE);             \
    }                                                                          \
    HIDDEN void __tsan_unaligned_volatile_write##bytes(void *at) {             \
        record_volatile(at, bytes, EMULATED_VOLATILE_WRITE, PLACE);            \
    }
TRACED(1)
TRACED(2)
TRACED(4)
TRACED(8)
TRACED(16)
HIDDEN void __tsan_read_range(void *at, emulated_size bytes) {
    record_range(at, bytes, EMULATED_READ, PLACE);
}
HIDDEN void __tsan_write_range(void *at, emulated_size bytes) {
    record_range(at, bytes, EMULATED_WRITE, PLACE);
}
HIDDEN void *__tsan_memcpy(void *to, const void *from, emulated_size bytes) {
    record_range(from, bytes, EMULATED_READ, PLACE);
    record_range(to, bytes, EMULATED_WRITE, PLACE);
    return memcpy(to, from, bytes);
}
HIDDEN void *__tsan_memmove(void *to, const void *from, emulated_size bytes) {
    record_range(from, bytes, EMULATED_READ, PLACE);
    record_range(to, bytes, EMULATED_WRITE, PLACE);
    return memmove(to, from, bytes);
}
HIDDEN void *__tsan_memset(void *to, int value, emulated_size bytes) {
    record_range(to, bytes, EMULATED_WRITE, PLACE);
    return memset(to, value, bytes);
}
// Called for -fsanitize=bounds.
HIDDEN void __ubsan_handle_out_of_bounds(void *, void *) {
    ask(BEYOND_ARRAY, PLACE);
}
// Called for -fsanitize=object-size. What leaves a shared variable is told with its name where it is accessed.
HIDDEN void __ubsan_handle_type_mismatch_v1(void *, void *at) {
    if ((uintptr)at - (uintptr)head()->image >= head()->image_bytes) {
        ask(BEYOND_ARRAY, PLACE);
    }
}
HIDDEN void __tsan_init() {
}
HIDDEN void __tsan_func_entry(void *) {
}
HIDDEN void __tsan_func_exit(void *) {
}
HIDDEN void __tsan_vptr_update(void **, void *) {
}
HIDDEN void __tsan_vptr_read(void **) {
}
#endif

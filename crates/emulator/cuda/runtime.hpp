// What a compiled kernel asks of the emulator. Everything that depends on threads, memory or time goes through here; runtime.cpp passes it on.
#pragma once

typedef __SIZE_TYPE__ emulated_size;
typedef __UINT64_TYPE__ emulated_u64;
typedef __UINT32_TYPE__ emulated_u32;

struct uint3 {
    unsigned x, y, z;
};

// Where a thread is. Constant while a thread lives.
struct EmulatedIndexes {
    uint3 thread, block, block_extent, grid_extent;
    // Blocks of the cluster in each direction, and this block's place among them.
    uint3 cluster_extent, cluster_block;
    // Bytes of shared memory that the launch gave.
    unsigned dynamic_bytes;
};

// EXCHANGE is an ATOMIC that may take a lock.
enum EmulatedAccess { EMULATED_READ, EMULATED_WRITE, EMULATED_ATOMIC, EMULATED_VOLATILE_READ, EMULATED_VOLATILE_WRITE, EMULATED_READ_ONLY, EMULATED_EXCHANGE };
// What the lanes of a warp do together; told apart since two that differ never meet. SYNC alone orders memory.
enum EmulatedExchange { EMULATED_SYNC, EMULATED_SHUFFLE, EMULATED_VOTE, EMULATED_MATCH, EMULATED_REDUCE };
struct EmulatedLanes {
    // One bit a lane that takes part.
    emulated_u32 present;
    emulated_u64 values[32];
};
enum EmulatedOrder { EMULATED_RELAXED, EMULATED_ACQUIRE, EMULATED_RELEASE, EMULATED_ACQ_REL };
enum EmulatedScope { EMULATED_OF_BLOCK, EMULATED_OF_CLUSTER, EMULATED_OF_DEVICE, EMULATED_OF_SYSTEM };
// SYNC, COUNT, AND, OR wait for the others; ARRIVE does not. The answer is the number of (COUNT), whether all (AND) or any (OR) of the predicates hold.
enum EmulatedBarrier { EMULATED_BARRIER_SYNC, EMULATED_BARRIER_ARRIVE, EMULATED_BARRIER_COUNT, EMULATED_BARRIER_AND, EMULATED_BARRIER_OR };
enum EmulatedMbarrier {
    EMULATED_MBARRIER_INIT,             // a: count of arrivals a phase
    EMULATED_MBARRIER_INVALIDATE,
    EMULATED_MBARRIER_ARRIVE,           // a: arrivals; answers the state (token) of the phase
    EMULATED_MBARRIER_ARRIVE_DROP,      // a: arrivals, also taken off later phases
    EMULATED_MBARRIER_EXPECT,           // a: bytes that the phase waits for beside its arrivals
    EMULATED_MBARRIER_ARRIVE_EXPECT,    // a: arrivals, b: bytes; expect_tx, then arrive
    EMULATED_MBARRIER_COMPLETE,         // a: bytes
    EMULATED_MBARRIER_TEST,             // a: state; answers whether its phase has ended. Never waits
    EMULATED_MBARRIER_TEST_PARITY,      // a: parity of the phase
    EMULATED_MBARRIER_TRY,              // as TEST, and lets others run when it has not ended
    EMULATED_MBARRIER_TRY_PARITY,
};
enum EmulatedBulk {
    EMULATED_BULK_TO_SHARED,            // global -> shared (of this block or, with a mask, of several of the cluster at the same offset), completes on an mbarrier
    EMULATED_BULK_TO_GLOBAL,            // shared -> global, completes in the thread's bulk group
    EMULATED_BULK_TO_CLUSTER,           // shared -> another block's shared, completes on an mbarrier there
    EMULATED_BULK_PREFETCH,             // nothing moves
};
enum EmulatedReduction { EMULATED_NO_REDUCTION, EMULATED_ADD, EMULATED_MIN, EMULATED_MAX, EMULATED_AND_BITS, EMULATED_OR_BITS, EMULATED_XOR_BITS, EMULATED_INC, EMULATED_DEC };
enum EmulatedElement { EMULATED_B8, EMULATED_U32, EMULATED_S32, EMULATED_U64, EMULATED_S64, EMULATED_F16, EMULATED_BF16, EMULATED_F32, EMULATED_F64 };
enum EmulatedMisuse { EMULATED_LANE_OUTSIDE, EMULATED_TRAP, EMULATED_ASSERT, EMULATED_MISALIGNED, EMULATED_BAD_WIDTH };

#ifdef __clang__
#define EMULATED_APART __attribute__((convergent, nomerge))
#else
#define EMULATED_APART
#endif

extern "C" {
// Visible, so that its address is asked for by its own name: runtime.cpp answers with a place that is no shared memory.
extern __attribute__((visibility("default"))) const __thread EmulatedIndexes emulated_indexes;

// An access of the emulator's own making by one instruction; `place` is a return address in the kernel.
void emulated_access(const void *address, emulated_size bytes, EmulatedAccess kind, const void *place);
void emulated_deliberate_store(const void *address);
void emulated_lowering_store(const void *address);
// Where dynamic shared memory begins.
void *emulated_dynamic_shared();
// Around the host's own atomic operation: what it publishes, then what it learns. LOAD and STORE are atomics that only read or write.
void emulated_atomic_begin(const void *address, emulated_size bytes, EmulatedAccess kind, EmulatedOrder order, EmulatedScope scope, const void *place);
void emulated_atomic_end(const void *address, EmulatedOrder order, EmulatedScope scope);
void emulated_fence(EmulatedOrder order, EmulatedScope scope);
// fence.proxy.async: orders generic accesses to shared memory before asynchronous copies that follow.
void emulated_proxy_fence();

// `threads` 0: the whole block. `id` 0 to 15.
EMULATED_APART emulated_u64 emulated_barrier(unsigned id, unsigned threads, EmulatedBarrier kind, emulated_u64 predicate);
// Waits for all lanes of `mask`; what each of them brought, valid until the thread's next call.
EMULATED_APART const EmulatedLanes *emulated_exchange(EmulatedExchange kind, unsigned mask, emulated_u64 value);
EMULATED_APART void emulated_cluster_arrive(EmulatedOrder order);
EMULATED_APART void emulated_cluster_wait(EmulatedOrder order);
// Lets other threads run: __nanosleep and spin loops.
void emulated_pause();

void emulated_copy_async(void *shared, const void *global, unsigned bytes, unsigned source_bytes); // 4, 8 or 16; the rest is zero
void emulated_copy_commit();
void emulated_copy_wait(unsigned pending);                                      // cp.async.wait_group; ~0u with wait_all
void emulated_copy_arrive(emulated_u64 *mbarrier, int noinc);                   // cp.async.mbarrier.arrive
emulated_u64 emulated_mbarrier(EmulatedMbarrier what, emulated_u64 *mbarrier, emulated_u64 a, emulated_u64 b);
emulated_u64 emulated_mbarrier_pending(emulated_u64 state);
void emulated_bulk(EmulatedBulk what, void *to, const void *from, unsigned bytes, emulated_u64 *mbarrier, unsigned cluster_mask, EmulatedReduction reduction, EmulatedElement element);
// `map` is a 128-byte tensor map; `dimensions` 1 to 5; mask 0: this block alone.
void emulated_tensor(EmulatedBulk what, const void *map, unsigned dimensions, const int *coordinates, void *shared, emulated_u64 *mbarrier, unsigned cluster_mask, EmulatedReduction reduction);
void emulated_bulk_commit();
void emulated_bulk_wait(unsigned pending, int read_only);                       // cp.async.bulk.wait_group[.read]

// The window of shared addresses: what PTX's 32-bit shared addresses and mapa speak of.
emulated_u32 emulated_to_shared(const void *generic);
void *emulated_from_shared(emulated_u32 shared);                                // also of another block of the cluster
emulated_u32 emulated_map_shared(emulated_u32 shared, unsigned block_of_cluster); // mapa.shared::cluster
int emulated_is_shared(const void *generic);
int emulated_is_global(const void *generic);
int emulated_is_local(const void *generic);

void emulated_dependents_launch();                                              // griddepcontrol.launch_dependents
void emulated_dependency_wait();                                                // griddepcontrol.wait
void emulated_misuse(EmulatedMisuse what, unsigned detail, const char *words);  // returns for LANE_OUTSIDE alone
emulated_u64 emulated_clock();                                                  // grows by at least one a call
void *emulated_heap(emulated_size bytes);                                       // malloc in a kernel
void emulated_heap_free(void *address);
int emulated_print(const char *format, __builtin_va_list values);
}
#define threadIdx (emulated_indexes.thread)
#define blockIdx (emulated_indexes.block)
#define blockDim (emulated_indexes.block_extent)
#define gridDim (emulated_indexes.grid_extent)
#define warpSize 32

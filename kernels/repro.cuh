// What every kernel file shares. Distances are f32 unless the host asks for another type; `Element` in crates/graph says what an
// absent edge is in each, and why it stays absent.
#pragma once

#define KERNEL extern "C" __global__

/// Declares a block's shared memory whose size the launch gives, as an array; to be used once a kernel.
#ifdef REPRO_EMULATED
#define DYNAMIC_SHARED(type, name) type *name = (type *)emulated_dynamic_shared()
#else
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif

#if defined(DISTANCE_I32)
typedef int distance;
#define ABSENT 0x3fffffff
#elif defined(DISTANCE_U16)
typedef unsigned short distance;
#define ABSENT ((distance)0x7fff)
#else
typedef float distance;
#define ABSENT __int_as_float(0x7f800000)
#endif

static __device__ __forceinline__ float shorter(float a, float b) {
    return fminf(a, b);
}
static __device__ __forceinline__ int shorter(int a, int b) {
    return min(a, b);
}

/// One task: the shorter of the known path and the path through a third vertex.
static __device__ __forceinline__ distance relax(distance known, distance to, distance from) {
    return shorter(known, to + from);
}

/// The same on an element that other threads may be reading: stores only a real improvement. Round k improves no
/// element of row k or column k (d[k][k] is 0), so readers of those never meet a writer and no race is left.
static __device__ __forceinline__ void relax_in_place(distance *known, distance to, distance from) {
    const distance through = to + from;
    if (through < *known) {
        *known = through;
    }
}

/// Stores what is there already whenever another thread of the launch reads or stores it too: a race that is meant, and
/// harmless since accesses of at most 32 bits do not tear. The checker of the emulated device lets it be as long as it changes no bit.
static __device__ __forceinline__ void store_the_same_while_read(distance *known, distance value) {
#ifdef REPRO_EMULATED
    emulated_deliberate_store(known);
#endif
    *known = value;
}

/// Lowers an element that other blocks of the launch may be reading: a race that is meant. They meet the distance before or
/// after, whole, and whichever it is does for them; the kernel says why. The checker lets it be as long as it rises nowhere
/// and nobody else writes there.
static __device__ __forceinline__ void lower_while_read(distance *known, distance value) {
#ifdef REPRO_EMULATED
    emulated_lowering_store(known);
#endif
    *known = value;
}

/// The index of the `block`-th tile when the round's own tile is left out.
static __device__ __forceinline__ int skip_round(int block, int round) {
    return block + (block >= round);
}

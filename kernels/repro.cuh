// What every kernel file shares. Distances are f32; an absent edge is +infinity.
#pragma once

#define KERNEL extern "C" __global__

/// Declares a block's shared memory whose size the launch gives, as an array; to be used once a kernel.
#ifdef REPRO_EMULATED
#define DYNAMIC_SHARED(type, name) type *name = (type *)emulated_dynamic_shared()
#else
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif

/// One task: the shorter of the known path and the path through a third vertex.
static __device__ __forceinline__ float relax(float known, float to, float from) {
    return fminf(known, to + from);
}

/// The same on an element that other threads may be reading: stores only a real improvement. Round k improves no
/// element of row k or column k (d[k][k] is 0), so readers of those never meet a writer and no race is left.
static __device__ __forceinline__ void relax_in_place(float *known, float to, float from) {
    const float through = to + from;
    if (through < *known) {
        *known = through;
    }
}

/// Stores what is there already whenever another thread of the launch reads or stores it too: a race that is meant, and
/// harmless since 32-bit accesses do not tear. The checker of the emulated device lets it be as long as it changes no bit.
static __device__ __forceinline__ void store_the_same_while_read(float *known, float value) {
#ifdef REPRO_EMULATED
    emulated_deliberate_store(known);
#endif
    *known = value;
}

/// Lowers an element that other blocks of the launch may be reading: a race that is meant. They meet the distance before or
/// after, whole, and whichever it is does for them; the kernel says why. The checker lets it be as long as it rises nowhere
/// and nobody else writes there.
static __device__ __forceinline__ void lower_while_read(float *known, float value) {
#ifdef REPRO_EMULATED
    emulated_lowering_store(known);
#endif
    *known = value;
}

/// The index of the `block`-th tile when the round's own tile is left out.
static __device__ __forceinline__ int skip_round(int block, int round) {
    return block + (block >= round);
}

// === atomic_of_block_only
// Mistake: atomicAdd_block is atomic within a block, and four blocks add to one word.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 6
extern "C" __global__ void atomic_of_block_only(const unsigned *in, unsigned *out) {
    atomicAdd_block(&out[0], in[blockIdx.x * 32 + threadIdx.x]);
}

// === fence_for_barrier
// Mistake: a fence orders a thread's own accesses and waits for nobody.
// launch: grid=1 block=64
// finds: race-in-block unwritten
// line: 7 9
extern "C" __global__ void fence_for_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    __threadfence_block();
    out[threadIdx.x] = values[threadIdx.x ^ 32];
}

// === fence_of_block_only
// Mistake: __threadfence_block orders nothing for another block.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 15
extern "C" __global__ void fence_of_block_only(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 512;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[1] = out[0] + 1;
    }
}

// === flag_by_atomic_without_fence
// Mistake: atomics are relaxed: a flag set by atomicExch publishes nothing without a fence.
// launch: grid=2 block=64
// finds: race-between-blocks
// line: 7 15
extern "C" __global__ void flag_by_atomic_without_fence(const unsigned *in, unsigned *out) {
    if (blockIdx.x == 0) {
        out[threadIdx.x] = in[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) atomicExch(out + 512, 1u);
    } else {
        if (threadIdx.x == 0)
            while (atomicAdd(out + 512, 0u) == 0) {}
        __threadfence();
        __syncthreads();
        out[64 + threadIdx.x] = out[63 - threadIdx.x];
    }
}

// === flag_fence_after_store_of_flag
// Mistake: the fence stands behind the flag instead of before it.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 15
extern "C" __global__ void flag_fence_after_store_of_flag(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 512;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        *flag = 1;
        __threadfence();
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[1] = out[0] + 1;
    }
}

// === flag_in_shared_without_fence
// Mistake: data and a volatile flag in shared memory, with no fence between them.
// launch: grid=1 block=64
// finds: race-in-block
// line: 11 15
extern "C" __global__ void flag_in_shared_without_fence(const unsigned *in, unsigned *out) {
    __shared__ unsigned value;
    __shared__ volatile unsigned ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = in[5];
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (ready == 0) {}
        out[0] = value;
    }
}

// === flag_of_one_lane
// Mistake: lane 0 sets the flag without waiting for the other lanes' stores.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 8 14
extern "C" __global__ void flag_of_one_lane(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 512;
    if (blockIdx.x == 0) {
        out[threadIdx.x] = in[threadIdx.x];
        __threadfence();
        if (threadIdx.x == 0) *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[64 + threadIdx.x] = out[31 - threadIdx.x];
    }
}

// === flag_plain
// Mistake: the flag is a plain word, looked at a few times.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 10 14
extern "C" __global__ void flag_plain(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        __threadfence();
        out[512] = 1;
    } else {
        unsigned seen = 0;
        for (int k = 0; k < 100 && !seen; k++) {
            seen = out[512];
            __threadfence();
        }
        out[1] = seen;
    }
}

// === flag_without_fence
// Mistake: the producer publishes its data by a volatile flag without a fence before it.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 14
extern "C" __global__ void flag_without_fence(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 512;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[1] = out[0] + 1;
    }
}

// === grid_barrier_without_block_barrier
// Mistake: thread 0 arrives at the grid's barrier before the other warps of its block have stored.
// launch: grid=4 block=64
// finds: race-between-blocks
// line: 7 15
extern "C" __global__ void grid_barrier_without_block_barrier(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] * 3;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(out + 4000, 1u);
        while (atomicAdd(out + 4000, 0u) < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    out[512 + i] = out[(i + 64) % 256] + 1;
}

// === grid_barrier_without_fence
// Mistake: a barrier of the grid without fences: the counter is reached, the data need not be.
// launch: grid=4 block=64
// finds: race-between-blocks
// line: 7 14
extern "C" __global__ void grid_barrier_without_fence(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] * 3;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(out + 4000, 1u);
        while (atomicAdd(out + 4000, 0u) < gridDim.x) {}
    }
    __syncthreads();
    out[512 + i] = out[255 - i] + 1;
}

// === grid_lock_without_fence
// Mistake: a lock of the grid is given back without a fence after the protected stores.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 9
extern "C" __global__ void grid_lock_without_fence(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    while (atomicCAS(out + 100, 0u, 1u)) {}
    __threadfence();
    out[0] += in[blockIdx.x];
    atomicExch(out + 100, 0u);
}

// === last_block_counts_too_early
// Mistake: thread 0 counts its block as done before the other warps have written their sums.
// launch: grid=4 block=64
// finds: race-between-blocks race-in-block
// line: 7 11
extern "C" __global__ void last_block_counts_too_early(const unsigned *in, unsigned *out) {
    const unsigned sum = __reduce_add_sync(~0u, in[blockIdx.x * 64 + threadIdx.x]);
    if (threadIdx.x % 32 == 0) out[64 + blockIdx.x * 2 + threadIdx.x / 32] = sum;
    __threadfence();
    if (threadIdx.x == 0 && atomicAdd(out + 100, 1u) == gridDim.x - 1) {
        __threadfence();
        for (int k = 0; k < 8; k++) out[0] += out[64 + k];
    }
}

// === last_block_resets_without_looking
// Mistake: every block sets the counter back, not the last one alone.
// launch: grid=4 block=32
// finds: race-between-blocks
extern "C" __global__ void last_block_resets_without_looking(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 0) {
        out[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        atomicInc(out + 512, gridDim.x);
        __threadfence();
        out[512] = 0;
    }
}

// === last_block_without_fence
// Mistake: nothing orders a block's partial sum before its arrival at the counter.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 8 11
extern "C" __global__ void last_block_without_fence(const unsigned *in, unsigned *out) {
    const unsigned sum = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x) return;
    out[64 + blockIdx.x] = sum;
    if (atomicAdd(out + 100, 1u) == gridDim.x - 1) {
        __threadfence();
        for (int k = 0; k < 4; k++) out[0] += out[64 + k];
    }
}

// === ldg_before_write
// Mistake: a word is read through the read-only path and then written in the same launch.
// launch: grid=1 block=64
// finds: read-only
// line: 6 8
extern "C" __global__ void ldg_before_write(const unsigned *in, unsigned *out) {
    const unsigned before = __ldg(out + threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x] + before;
}

// === ldg_of_own_launch
// Mistake: a read-only load of what the same launch has written, if only before a barrier.
// launch: grid=1 block=64
// finds: read-only
// line: 6 8
extern "C" __global__ void ldg_of_own_launch(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[threadIdx.x] * 3;
    __syncthreads();
    out[64 + threadIdx.x] = __ldg(out + 63 - threadIdx.x);
}

// === ldg_of_vector
// Mistake: the vector that is read through the read-only path contains one word that the launch writes.
// launch: grid=1 block=32
// finds: read-only
// line: 6 8
extern "C" __global__ void ldg_of_vector(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 9) out[39] = in[9];
    __syncthreads();
    const uint4 v = __ldg(reinterpret_cast<const uint4 *>(out) + threadIdx.x);
    out[1024 + threadIdx.x] = v.x + v.y + v.z + v.w;
}

// === load_relaxed
// Mistake: the flag is released, and read relaxed with no fence after it.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 13
extern "C" __global__ void load_relaxed(const unsigned *in, unsigned *out) {
    unsigned *flag = out + 512, seen = 0;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(flag)) : "memory");
    } else {
        while (!seen) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(flag)) : "memory");
        out[1] = out[0] + 1;
    }
}

// === lock_by_exchange_not_checked
// Mistake: the lock is taken by an exchange whose answer nobody looks at.
// launch: grid=1 block=64
// finds: race-in-block
// line: 9
extern "C" __global__ void lock_by_exchange_not_checked(const unsigned *in, unsigned *out) {
    if (threadIdx.x % 32 == 0) {
        atomicExch(out + 100, 1u);
        __threadfence();
        out[0] += in[threadIdx.x];
        __threadfence();
        atomicExch(out + 100, 0u);
    }
}

// === lock_given_back_plainly
// Mistake: the lock is given back by a plain store with no fence before it.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 8 9 10
extern "C" __global__ void lock_given_back_plainly(const unsigned *in, unsigned *out) {
    volatile unsigned *lock = out + 100;
    if (threadIdx.x == 0) {
        while (atomicCAS(out + 100, 0u, 1u)) {}
        out[0] += in[blockIdx.x];
        *lock = 0;
    }
}

// === lock_not_checked
// Mistake: whether the lock was free when it was taken is not looked at.
// launch: grid=1 block=64
// finds: race-in-block
// line: 9 11
extern "C" __global__ void lock_not_checked(const unsigned *in, unsigned *out) {
    if (threadIdx.x % 32 == 0) {
        atomicCAS(out + 100, 0u, 1u);
        __threadfence();
        out[0] += in[threadIdx.x];
        __threadfence();
        atomicExch(out + 100, 0u);
    }
}

// === lock_without_fence
// Mistake: a lock of a block whose sum is read and written outside of any fence.
// launch: grid=1 block=64
// finds: race-in-block
// line: 11
extern "C" __global__ void lock_without_fence(const unsigned *in, unsigned *out) {
    __shared__ unsigned lock, sum;
    if (threadIdx.x == 0) lock = 0, sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0u, 1u)) {}
        sum += in[threadIdx.x];
        atomicExch(&lock, 0u);
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}

// === lookback_without_fence
// Mistake: in a look-back, sum and flag are separate words with no fence between them.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 13 15
extern "C" __global__ void lookback_without_fence(const unsigned *in, unsigned *out) {
    unsigned *sums = out + 1024;
    volatile unsigned *flags = out + 1056;
    if (threadIdx.x) return;
    unsigned sum = in[blockIdx.x];
    if (blockIdx.x) {
        while (flags[blockIdx.x - 1] == 0) {}
        __threadfence();
        sum += sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = sum;
    flags[blockIdx.x] = 1;
}

// === noncoherent_load
// Mistake: ld.global.nc of a word that an atomic of the same launch changes.
// launch: grid=1 block=64
// finds: read-only
// line: 6 9
extern "C" __global__ void noncoherent_load(const unsigned *in, unsigned *out) {
    atomicAdd(out, in[threadIdx.x]);
    __syncthreads();
    unsigned sum;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(sum) : "l"(__cvta_generic_to_global(out)));
    out[64 + threadIdx.x] = sum;
}

// === reduction_volatile
// Mistake: volatile keeps the compiler from caching; it does not order the lanes of a warp.
// launch: grid=1 block=32
// finds: race-in-block
// line: 10 11
extern "C" __global__ void reduction_volatile(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    for (unsigned step = 16; step; step /= 2) {
        const unsigned other = values[(threadIdx.x + step) & 31];
        values[threadIdx.x] = values[threadIdx.x] + other;
    }
    out[threadIdx.x] = values[threadIdx.x];
}

// === release_of_block_only
// Mistake: the release has the scope of the block, and another block acquires.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 10 12 13
extern "C" __global__ void release_of_block_only(const unsigned *in, unsigned *out) {
    unsigned *flag = out + 512, seen = 0;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(flag)) : "memory");
    } else {
        while (!seen) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(flag)) : "memory");
        out[1] = out[0] + 1;
    }
}

// === store_relaxed
// Mistake: the flag is stored relaxed; the acquire of the other side has nothing to meet.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 13
extern "C" __global__ void store_relaxed(const unsigned *in, unsigned *out) {
    unsigned *flag = out + 512, seen = 0;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(flag)) : "memory");
    } else {
        while (!seen) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(flag)) : "memory");
        out[1] = out[0] + 1;
    }
}

// === volatile_flag_read_without_fence
// Mistake: whoever reads the flag reads the data without a fence in between.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 16
extern "C" __global__ void volatile_flag_read_without_fence(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 512;
    if (blockIdx.x == 0) {
        out[threadIdx.x] = in[threadIdx.x] * 3;
        __threadfence();
        __syncwarp();
        __threadfence();
        if (threadIdx.x == 0) *flag = 1;
    } else {
        while (*flag == 0) {}
        __syncwarp();
        out[64 + threadIdx.x] = out[31 - threadIdx.x] + 1;
    }
}

// === volatile_lost_update
// Mistake: all threads of a block add one to a volatile counter in global memory.
// launch: grid=1 block=256
// finds: race-in-block
// line: 7
extern "C" __global__ void volatile_lost_update(const unsigned *in, unsigned *out) {
    volatile unsigned *count = out + 512;
    *count = *count + 1;
    out[threadIdx.x] = in[threadIdx.x];
}

// === volatile_lost_update_of_blocks
// Mistake: one thread of each block adds to a volatile sum.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 8
extern "C" __global__ void volatile_lost_update_of_blocks(const unsigned *in, unsigned *out) {
    volatile unsigned *sum = out + 512;
    if (threadIdx.x == 0) {
        *sum += in[blockIdx.x];
    }
}

// === volatile_maximum
// Mistake: every thread replaces a volatile maximum if its own is greater.
// launch: grid=2 block=64
// finds: race-in-block race-between-blocks
extern "C" __global__ void volatile_maximum(const unsigned *in, unsigned *out) {
    volatile unsigned *most = out + 512;
    const unsigned mine = in[blockIdx.x * 64 + threadIdx.x];
    if (mine > *most) {
        *most = mine;
    }
}

// === volatile_queue
// Mistake: blocks take places in a queue by a volatile end.
// launch: grid=4 block=32
// finds: race-between-blocks
struct volatile_queue_of { volatile unsigned end; unsigned entries[64]; };
extern "C" __global__ void volatile_queue(const unsigned *in, volatile_queue_of *out) {
    if (threadIdx.x == 0) {
        const unsigned place = out->end;
        out->end = place + 1;
        out->entries[place % 64] = in[blockIdx.x];
    }
}

// === volatile_read_of_plain_store
// Mistake: one block reads, by a volatile load, what another one stores plainly and no fence hands over.
// launch: grid=2 block=32
// finds: race-between-blocks
extern "C" __global__ void volatile_read_of_plain_store(const unsigned *in, unsigned *out) {
    if (blockIdx.x == 0) {
        out[512 + threadIdx.x] = in[threadIdx.x];
    } else {
        out[threadIdx.x] = *(volatile unsigned *)(out + 512 + threadIdx.x);
    }
}

// === volatile_store_beside_atomic
// Mistake: one block sets to zero, by a volatile store, what the others count in.
// launch: grid=4 block=32
// finds: race-between-blocks
extern "C" __global__ void volatile_store_beside_atomic(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 2) {
            *(volatile unsigned *)(out + 512) = in[1];
        } else {
            atomicAdd(out + 512, 1u);
        }
    }
}

// === volatile_store_without_lock
// Mistake: block 0 stores without taking the lock that the other blocks take.
// launch: grid=4 block=32
// finds: race-between-blocks
extern "C" __global__ void volatile_store_without_lock(const unsigned *in, unsigned *out) {
    unsigned *lock = out + 512;
    volatile unsigned *value = out + 600;
    if (threadIdx.x == 0) {
        if (blockIdx.x != 0) {
            while (atomicCAS(lock, 0u, 1u) != 0) {
            }
            __threadfence();
        }
        *value = *value + in[blockIdx.x + 1];
        if (blockIdx.x != 0) {
            __threadfence();
            atomicExch(lock, 0u);
        }
    }
}

// === atomic_flag_fence
// The flag is set and polled by atomics of one thread; barriers of the block spread what the fences order.
// launch: grid=2 block=64
extern "C" __global__ void atomic_flag_fence(const unsigned *in, unsigned *out) {
    unsigned *flag = out + 512;
    if (blockIdx.x == 0) {
        out[threadIdx.x] = in[threadIdx.x] ^ 77;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(flag, 1u);
        }
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(flag, 0u) == 0) __nanosleep(100);
            __threadfence();
        }
        __syncthreads();
        out[64 + threadIdx.x] = out[63 - threadIdx.x] * 5;
    }
}

// === atomic_float_maximum
// A maximum of floats by compare-and-swap: the first look may be old, the swap finds out.
// launch: grid=4 block=64
extern "C" __global__ void atomic_float_maximum(const unsigned *in, unsigned *out) {
    const float value = float(in[blockIdx.x * 64 + threadIdx.x] >> 8) - 8000000.0f;
    unsigned seen = *reinterpret_cast<volatile unsigned *>(out);
    while (__uint_as_float(seen) < value) {
        const unsigned before = atomicCAS(out, seen, __float_as_uint(value));
        if (before == seen) break;
        seen = before;
    }
}

// === atomics_on_one_word
// Every thread of every block changes the same words, each by atomics whose result does not depend on the order.
// launch: grid=4 block=64
extern "C" __global__ void atomics_on_one_word(const unsigned *in, unsigned *out) {
    const unsigned value = in[blockIdx.x * 64 + threadIdx.x];
    atomicAdd(&out[0], value);
    atomicMax(&out[1], value);
    atomicOr(&out[2], value & 0x00ff00ff);
    atomicXor(&out[3], value);
    atomicAdd(reinterpret_cast<unsigned long long *>(out + 4), (unsigned long long)value);
    atomicInc(&out[6], 9);
}

// === block_flag_fence
// One warp waits for a flag of another in shared memory; fences of the block order the data.
// launch: grid=1 block=64
extern "C" __global__ void block_flag_fence(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    __shared__ volatile unsigned ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        values[threadIdx.x] = in[threadIdx.x];
        __threadfence_block();
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence_block();
            ready = 1;
        }
    } else {
        while (ready == 0) {}
        __threadfence_block();
        out[threadIdx.x - 32] = values[63 - threadIdx.x];
    }
}

// === blocks_take_turns
// Two blocks hand one word back and forth; each changes it plainly when it is its turn.
// launch: grid=2 block=32
extern "C" __global__ void blocks_take_turns(const unsigned *in, unsigned *out) {
    volatile unsigned *turn = out + 300;
    if (threadIdx.x == 0)
        for (unsigned round = blockIdx.x; round < 12; round += 2) {
            while (*turn != round) {}
            __threadfence();
            out[0] = out[0] * 3 + in[round];
            __threadfence();
            *turn = round + 1;
        }
}

// === early_exit_of_block
// A whole block leaves before the barrier: the condition is the same for all of its threads.
// launch: grid=4 block=64
extern "C" __global__ void early_exit_of_block(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    if (in[blockIdx.x] % 2 == 0) return;
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x];
}

// === global_scratch_of_block
// A block uses its own part of global memory as scratch; __syncthreads orders that too.
// launch: grid=4 block=64
extern "C" __global__ void global_scratch_of_block(const unsigned *in, unsigned *out) {
    unsigned *scratch = out + 1024 + blockIdx.x * 64, value = in[blockIdx.x * 64 + threadIdx.x];
    for (int round = 0; round < 6; round++) {
        scratch[threadIdx.x ^ round] = value;
        __syncthreads();
        value = value * 3 + scratch[63 - threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = value;
}

// === grid_barrier
// A barrier of the whole grid by an atomic counter; as many blocks as fit at once.
// launch: grid=4 block=64
extern "C" __global__ void grid_barrier(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    volatile unsigned *count = out + 4000;
    out[i] = in[i] * 3;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(out + 4000, 1u);
        while (*count < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    out[512 + i] = out[255 - i] + 1;
}

// === grid_barrier_block_vote
// A grid barrier at which the whole block votes on whether all have come.
// launch: grid=6 block=96
extern "C" __global__ void grid_barrier_block_vote(const unsigned *in, unsigned *out) {
    volatile unsigned *count = out + 4000;
    out[1024 + blockIdx.x * 96 + threadIdx.x] = in[blockIdx.x * 96 + threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out + 4000, 1);
    while (__syncthreads_or(threadIdx.x == 0 && *count < gridDim.x)) {}
    __threadfence();
    out[blockIdx.x * 96 + threadIdx.x] = out[1024 + (gridDim.x - 1 - blockIdx.x) * 96 + threadIdx.x];
}

// === grid_barrier_of_flags
// Block 0 gathers the flags of all others, one a thread, and then lets them go.
// launch: grid=4 block=64
extern "C" __global__ void grid_barrier_of_flags(const unsigned *in, unsigned *out) {
    volatile unsigned *arrived = out + 2048, *go = out + 2060;
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] >> 3;
    __threadfence();
    __syncthreads();
    if (blockIdx.x == 0) {
        if (threadIdx.x > 0 && threadIdx.x < gridDim.x) {
            while (!arrived[threadIdx.x]) {}
            __threadfence();
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            *go = 1;
        }
    } else if (threadIdx.x == 0) {
        __threadfence();
        arrived[blockIdx.x] = 1;
        while (!*go) {}
        __threadfence();
    }
    __syncthreads();
    out[512 + i] = out[(i + 100) % 256] * 7;
}

// === grid_barrier_repeated
// Nine steps of a stencil over four blocks, between two buffers, with a grid barrier after each step.
// launch: grid=4 block=64
static __device__ void grid_barrier_repeated_wait(unsigned *count, unsigned goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1u);
        while (atomicAdd(count, 0u) < goal) {}
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void grid_barrier_repeated(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i];
    for (unsigned step = 0; step < 9; step++) {
        grid_barrier_repeated_wait(out + 4000, (step + 1) * gridDim.x);
        const unsigned *from = out + (step & 1) * 256;
        out[(~step & 1) * 256 + i] = from[(i + 1) % 256] * 3 + from[(i + 255) % 256];
    }
}

// === last_block_resets_by_volatile_store
// The counter is a volatile variable of the device that the last block sets back.
// launch: grid=3 block=32 repeat=2
__device__ volatile unsigned last_block_resets_by_volatile_store_count = 0;
extern "C" __global__ void last_block_resets_by_volatile_store(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 0) {
        out[8 + blockIdx.x] = in[blockIdx.x];
        __threadfence();
        const unsigned before = atomicAdd((unsigned *)&last_block_resets_by_volatile_store_count, 1u);
        if (before == gridDim.x - 1) {
            __threadfence();
            out[0] += out[8] + out[9] + out[10];
            last_block_resets_by_volatile_store_count = 0;
        }
    }
}

// === last_block_resets_counter
// The last block adds up, and sets the counter back by a plain store: one fence, before the counter.
// launch: grid=4 block=64 repeat=2
extern "C" __global__ void last_block_resets_counter(const unsigned *in, unsigned *out) {
    __shared__ bool last;
    volatile unsigned *sums = out + 64;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = in[blockIdx.x * 64];
        __threadfence();
        last = atomicInc(out + 100, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        unsigned total = 0;
        for (unsigned block = 0; block < gridDim.x; block++) {
            total += sums[block];
        }
        out[0] += total;
        out[100] = 0;
    }
}

// === last_block_resets_with_two_fences
// As in CUDA's threadFenceReduction: a fence on both sides of the counter, which another thread than the one that counted sets back.
// launch: grid=4 block=64 repeat=2
extern "C" __global__ void last_block_resets_with_two_fences(const unsigned *in, unsigned *out) {
    __shared__ bool last;
    volatile unsigned *sums = out + 64;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = in[blockIdx.x * 64];
        __threadfence();
        last = atomicAdd(out + 100, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 33) {
        unsigned total = 0;
        for (unsigned block = 0; block < gridDim.x; block++) {
            total += sums[block];
        }
        out[0] += total;
        out[100] = 0;
    }
}

// === last_block_volatile
// As in CUDA's own guide: partial sums are volatile, a fence comes before the counter, which goes back to zero by itself.
// launch: grid=4 block=64 repeat=2
extern "C" __global__ void last_block_volatile(const unsigned *in, unsigned *out) {
    __shared__ bool last;
    __shared__ unsigned sum;
    volatile unsigned *sums = out + 64;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(out + 100, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        unsigned total = 0;
        for (unsigned block = 0; block < gridDim.x; block++) total += sums[block];
        out[0] += total;
    }
}

// === launch_adds_to_launch
// The second launch reads and changes what the first one wrote, every block another part than before.
// launch: grid=4 block=64 repeat=2
extern "C" __global__ void launch_adds_to_launch(const unsigned *in, unsigned *out) {
    const unsigned second = out[4095 - blockIdx.x], from = ((blockIdx.x + second) % 4) * 64;
    out[from + threadIdx.x] += in[from + threadIdx.x] >> second;
    __syncthreads();
    if (threadIdx.x == 0) out[4095 - blockIdx.x] = 1;
}

// === persistent_tiles_ordered
// Tiles are handed out in order, and a tile waits for the one before it: whoever has that one is already running.
// launch: grid=3 block=32
extern "C" __global__ void persistent_tiles_ordered(const unsigned *in, unsigned *out) {
    volatile unsigned *done = out + 4001;
    for (;;) {
        unsigned tile = 0;
        if (threadIdx.x == 0) tile = atomicAdd(out + 4000, 1u);
        tile = __shfl_sync(~0u, tile, 0);
        if (tile >= 20) break;
        while (*done < tile) {}
        __threadfence();
        out[tile * 32 + threadIdx.x] = in[tile * 32 + threadIdx.x] + (tile ? out[tile * 32 - 1 - threadIdx.x] : 0);
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence();
            *done = tile + 1;
        }
    }
}

// === persistent_work_counter
// Blocks stay and fetch tiles from an atomic counter until none is left.
// launch: grid=4 block=64
extern "C" __global__ void persistent_work_counter(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(out + 4000, 1u);
        __syncthreads();
        const unsigned mine = tile;
        __syncthreads();
        if (mine >= 32) break;
        out[mine * 64 + threadIdx.x] = in[mine * 64 + threadIdx.x] * (mine + 1);
    }
}

// === pipeline_of_blocks
// Block b works on row r when block b - 1 is done with it: a wave through the matrix.
// launch: grid=4 block=32
extern "C" __global__ void pipeline_of_blocks(const unsigned *in, unsigned *out) {
    volatile unsigned *progress = out + 4000;
    for (unsigned row = 0; row < 10; row++) {
        unsigned *here = out + row * 128 + blockIdx.x * 32;
        if (blockIdx.x) {
            while (progress[blockIdx.x - 1] <= row) {}
            __threadfence();
        }
        here[threadIdx.x] = in[row * 128 + blockIdx.x * 32 + threadIdx.x] + (blockIdx.x ? here[-1 - int(threadIdx.x)] : row);
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence();
            progress[blockIdx.x] = row + 1;
        }
    }
}

// === release_and_acquire
// A store with release and a load with acquire, both of the device's scope, need no fence beside them.
// launch: grid=2 block=32
extern "C" __global__ void release_and_acquire(const unsigned *in, unsigned *out) {
    unsigned *flag = out + 512;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int k = 0; k < 8; k++) out[k] = in[k] * 9;
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "r"(5) : "memory");
    }
    if (blockIdx.x == 1 && threadIdx.x < 8) {
        unsigned seen;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(flag)) : "memory");
        while (seen != 5);
        out[16 + threadIdx.x] = out[7 - threadIdx.x] + 1;
    }
}

// === spin_lock
// One thread of each block takes a lock, adds to a plain word and gives the lock back, with fences inside the lock.
// launch: grid=4 block=32
extern "C" __global__ void spin_lock(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    for (int round = 0; round < 5; round++) {
        while (atomicCAS(out + 100, 0u, 1u)) {}
        __threadfence();
        out[0] += in[blockIdx.x * 5 + round];
        out[1]++;
        __threadfence();
        atomicExch(out + 100, 0u);
    }
}

// === spin_lock_of_warps
// Warps of a block take turns by a lock in shared memory.
// launch: grid=1 block=128
extern "C" __global__ void spin_lock_of_warps(const unsigned *in, unsigned *out) {
    __shared__ unsigned lock, sum;
    if (threadIdx.x == 0) lock = 0, sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        for (int round = 0; round < 4; round++) {
            while (atomicCAS(&lock, 0u, 1u)) {}
            __threadfence_block();
            sum += in[threadIdx.x + round];
            __threadfence_block();
            atomicExch(&lock, 0u);
        }
    __syncthreads();
    out[threadIdx.x] = sum;
}

// === ticket_lock
// Tickets are drawn by an atomic, served in order through a volatile word; the protected list is plain.
// launch: grid=4 block=32
extern "C" __global__ void ticket_lock(const unsigned *in, unsigned *out) {
    volatile unsigned *serving = out + 201;
    if (threadIdx.x == 5) {
        const unsigned ticket = atomicAdd(out + 200, 1u);
        while (*serving != ticket) {}
        __threadfence();
        out[0] += in[blockIdx.x];
        out[1] ^= in[blockIdx.x] * 3;
        __threadfence();
        *serving = ticket + 1;
    }
}

// === volatile_end_of_all
// Every thread that finds something says so by the same volatile store, and nobody reads it in this launch.
// launch: grid=2 block=64
extern "C" __global__ void volatile_end_of_all(const unsigned *in, unsigned *out) {
    volatile unsigned *found = out + 512;
    if (in[blockIdx.x * 64 + threadIdx.x] % 3 == 0) {
        *found = 1;
    }
}

// === volatile_flag_fence
// Block 0 publishes data, a fence, a volatile flag; block 1 spins on the flag, a fence, reads the data.
// launch: grid=2 block=32
extern "C" __global__ void volatile_flag_fence(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 512;
    if (blockIdx.x == 0) {
        out[threadIdx.x] = in[threadIdx.x] * 3;
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[64 + threadIdx.x] = out[31 - threadIdx.x] + 1;
    }
}

// === volatile_under_a_lock
// A volatile sum is changed by whoever has the lock, with fences.
// launch: grid=4 block=32
extern "C" __global__ void volatile_under_a_lock(const unsigned *in, unsigned *out) {
    unsigned *lock = out + 512;
    volatile unsigned *value = out + 600;
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0) {
        }
        __threadfence();
        *value = *value + in[blockIdx.x + 1];
        __threadfence();
        atomicExch(lock, 0u);
    }
}

// === wait_by_block_vote
// Blocks add in turns; the whole block votes on whether its turn has come, as the semaphore of CUTLASS does.
// launch: grid=5 block=64
static __device__ int wait_by_block_vote_load(int *p) { int s; asm volatile("ld.global.acquire.gpu.b32 %0, [%1];\n" : "=r"(s) : "l"(p)); return s; }
extern "C" __global__ void wait_by_block_vote(const unsigned *in, unsigned *out) {
    int *lock = (int *)out + 4000;
    int state = blockIdx.x + 1;
    if (threadIdx.x == 0) state = wait_by_block_vote_load(lock);
    while (__syncthreads_and(state != (int)blockIdx.x)) { if (threadIdx.x == 0) state = wait_by_block_vote_load(lock); else state = blockIdx.x + 1; }
    __syncthreads();
    out[threadIdx.x] = out[threadIdx.x] * 3 + in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("st.global.release.gpu.b32 [%0], %1;\n" :: "l"(lock), "r"((int)blockIdx.x + 1));
}

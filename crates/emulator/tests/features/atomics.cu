// === atomicAdd_block
// An atomic addition of the scope of a block.
// launch: grid=2 block=64
// kernel: atomicAdd_block_kernel

extern "C" __global__ void atomicAdd_block_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = in[i] & 0xfff;
    atomicAdd_block(&out[blockIdx.x], sum);
    __syncthreads();
    unsigned before = atomicAdd_block(&out[blockIdx.x], 0u);
    out[64 + i] = before;
}

// === atomicAdd_d
// Atomic addition of doubles that are whole numbers.
// launch: grid=2 block=64

extern "C" __global__ void atomicAdd_d(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ double sum;
    if (threadIdx.x == 0) sum = 0.0;
    __syncthreads();
    atomicAdd(&sum, (double)(int)in[i]);
    __syncthreads();
    out[i] = (unsigned)(__double_as_longlong(sum) >> (threadIdx.x % 2 * 32));
}

// === atomicAdd_f
// Atomic addition of floats that are whole numbers.
// launch: grid=2 block=64

extern "C" __global__ void atomicAdd_f(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float *sums = (float *)out;
    atomicAdd(&sums[threadIdx.x % 8], (float)(in[i] & 0xff) - 128.0f);
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0.5f;
    __syncthreads();
    atomicAdd(&sum, (float)(in[i] & 0xfff));
    __syncthreads();
    out[64 + i] = __float_as_uint(sum);
}

// === atomicAdd_ret
// An atomic addition returns what was there before: each thread gets a place of its own.
// launch: grid=2 block=64

extern "C" __global__ void atomicAdd_ret(const unsigned *in, unsigned *out) {
    __shared__ unsigned next;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    unsigned place = atomicAdd(&next, 1u);
    unsigned seen = atomicAdd(&out[2000], 1u);
    // Which thread gets which place is open; that all places are taken once is not.
    atomicAdd(&out[blockIdx.x * 64 + place], 1u);
    atomicAdd(&out[1000 + seen], 1u);
    atomicAdd((int *)&out[2001], -(int)(in[i] & 15));
}

// === atomicAdd_system
// An atomic addition of the scope of the system.
// launch: grid=2 block=64
// kernel: atomicAdd_system_kernel

extern "C" __global__ void atomicAdd_system_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd_system(&out[i % 16], in[i]);
    atomicAdd_system((int *)&out[16], -1);
    atomicMax_system(&out[17], in[i] & 0xffff);
}

// === atomicAdd_ull
// Atomic addition of 64-bit numbers, with a carry between the halves.
// launch: grid=2 block=64

extern "C" __global__ void atomicAdd_ull(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long *sums = (unsigned long long *)out;
    atomicAdd(&sums[i % 4], (unsigned long long)in[i] * 3);
    atomicAdd(&sums[4], ~0ull);
}

// === atomicCAS_f
// The least float by a loop of compare and swap.
// launch: grid=2 block=64

__device__ float atomicCAS_f_min(float *address, float value) {
    unsigned old = *(volatile unsigned *)address, assumed;
    do {
        assumed = old;
        if (__uint_as_float(assumed) <= value) break;
        old = atomicCAS((unsigned *)address, assumed, __float_as_uint(value));
    } while (old != assumed);
    return __uint_as_float(old);
}

extern "C" __global__ void atomicCAS_f(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float least;
    if (threadIdx.x == 0) least = 3.0e38f;
    __syncthreads();
    atomicCAS_f_min(&least, (float)(int)in[i]);
    __syncthreads();
    out[i] = __float_as_uint(least);
}

// === atomicDec
// A counter that goes down and starts again at its limit.
// launch: grid=2 block=64
// kernel: atomicDec_kernel

extern "C" __global__ void atomicDec_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicDec(&out[i % 3], 9);
    __shared__ unsigned counter;
    if (threadIdx.x == 0) counter = 100;
    __syncthreads();
    atomicDec(&counter, 20 + (in[0] & 1));
    __syncthreads();
    out[64 + i] = counter;
}

// === atomicInc
// A counter that goes up to its limit and starts again at zero.
// launch: grid=2 block=64
// kernel: atomicInc_kernel

extern "C" __global__ void atomicInc_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned before = atomicInc(&out[i % 3], 9);
    atomicAdd(&out[16 + before], i % 3 == 0);
    __shared__ unsigned counter;
    if (threadIdx.x == 0) counter = 100;
    __syncthreads();
    atomicInc(&counter, 20 + (in[0] & 1));
    __syncthreads();
    out[64 + i] = counter;
}

// === atomicMin_i
// Least and greatest of signed and unsigned numbers.
// launch: grid=2 block=64

extern "C" __global__ void atomicMin_i(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMin((int *)&out[0], (int)in[i]);
    atomicMax((int *)&out[1], (int)in[i]);
    atomicMin(&out[2], in[i]);
    atomicMax(&out[3], in[i]);
    atomicMin((long long *)&out[4], (long long)(int)in[i] * 1000000);
    atomicMax((unsigned long long *)&out[6], (unsigned long long)in[i] << 20);
}

// === atomicXor
// Bits combined by atomic exclusive or, and, or.
// launch: grid=2 block=64
// kernel: atomicXor_kernel

extern "C" __global__ void atomicXor_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicXor(&out[0], in[i]);
    atomicOr(&out[1], in[i] & 0x11111111u);
    __shared__ unsigned bits;
    __shared__ unsigned long long wide;
    if (threadIdx.x == 0) bits = ~0u, wide = 0;
    __syncthreads();
    atomicAnd(&bits, in[i] | 0xffff0000u >> (i % 8));
    atomicXor(&wide, (unsigned long long)in[i] << (i % 32));
    __syncthreads();
    out[64 + i] = bits ^ (unsigned)(wide >> (i % 33));
}

// === atomic_shared_min
// The least value of a block by atomics on shared memory.
// launch: grid=2 block=64

extern "C" __global__ void atomic_shared_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned least;
    __shared__ int lowest;
    if (threadIdx.x == 0) least = ~0u, lowest = 0x7fffffff;
    __syncthreads();
    atomicMin(&least, in[i] | 1);
    atomicMin(&lowest, (int)in[i]);
    __syncthreads();
    out[i] = least ^ (unsigned)lowest;
}

// === more_acquire_release
// One block publishes values with a store that releases, the other waits with loads that acquire.
// launch: grid=2 block=64

extern "C" __global__ void more_acquire_release(const unsigned *in, unsigned *out) {
    unsigned *flags = out + 4000, seen = 0;
    if (blockIdx.x == 0) {
        out[threadIdx.x] = in[threadIdx.x] * 3;
        __syncthreads();
        if (threadIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flags), "r"(7) : "memory");
        out[64 + threadIdx.x] = in[threadIdx.x] * 5;
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(flags + 1 + threadIdx.x), "r"(1) : "memory");
    } else {
        while (seen != 7) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags) : "memory");
        out[1024 + threadIdx.x] = out[63 - threadIdx.x];
        do
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags + 1 + threadIdx.x) : "memory");
        while (seen != 1);
        asm volatile("fence.sc.gpu;\n membar.gl;" ::: "memory");
        out[2048 + threadIdx.x] = out[64 + threadIdx.x];
    }
}

// === more_atom_forms
// Atomic operations with an answer, by PTX, each thread at a place of its own.
// launch: grid=2 block=64

extern "C" __global__ void more_atom_forms(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned old, swapped, before, wrapped, first;
    unsigned long long wide;
    float sum;
    __shared__ int lowest[64];
    lowest[threadIdx.x] = 5;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(first) : "l"(out + i), "r"(in[i]) : "memory");
    asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(out + i), "r"(in[i] | (i & 1)), "r"(77) : "memory");
    asm volatile("atom.relaxed.sys.global.exch.b32 %0, [%1], %2;" : "=r"(swapped) : "l"(out + i), "r"(in[i + 1]) : "memory");
    asm volatile("atom.acquire.cta.global.max.s32 %0, [%1], %2;" : "=r"(before) : "l"(out + i), "r"((int)in[i]) : "memory");
    asm volatile("atom.global.inc.u32 %0, [%1], %2;" : "=r"(wrapped) : "l"(out + 1024 + i), "r"(0) : "memory");
    asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(sum) : "l"(out + 1024 + i), "f"((float)(in[i] & 0xff)) : "memory");
    asm volatile("atom.exch.b64 %0, [%1], %2;" : "=l"(wide) : "l"(out + 2048 + 2 * i), "l"((unsigned long long)in[i] * in[i + 1]) : "memory");
    asm volatile("atom.global.or.b64 %0, [%1], %2;" : "=l"(wide) : "l"(out + 2048 + 2 * i), "l"(15ull << 40) : "memory");
    int least;
    asm volatile("atom.shared.min.s32 %0, [%1], %2;" : "=r"(least) : "r"((unsigned)__cvta_generic_to_shared(&lowest[threadIdx.x])), "r"((int)in[i]) : "memory");
    out[3072 + i] = first + old * 3 + swapped * 5 + before * 7 + wrapped + __float_as_uint(sum) + (unsigned)(wide >> 9) + (unsigned)(least + lowest[threadIdx.x]);
}

// === more_last_block
// Each block leaves its sum, and the block that comes last adds the sums up.
// launch: grid=6 block=64

__device__ unsigned more_last_block_sums[6], more_last_block_arrived;

extern "C" __global__ void more_last_block(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned sum;
    __shared__ bool last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        more_last_block_sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&more_last_block_arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    unsigned total = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) total = total * 3 + *(volatile unsigned *)&more_last_block_sums[block];
    out[threadIdx.x] = total + threadIdx.x;
}

// === more_red_forms
// Atomic operations without an answer, in every type and for every scope, by PTX.
// launch: grid=2 block=64

extern "C" __global__ void more_red_forms(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned bits;
    if (threadIdx.x == 0) bits = 0;
    __syncthreads();
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out), "r"(in[i]) : "memory");
    asm volatile("red.relaxed.gpu.global.min.s32 [%0+4], %1;" ::"l"(out), "r"((int)in[i]) : "memory");
    asm volatile("red.release.sys.global.max.u32 [%0+8], %1;" ::"l"(out), "r"(in[i]) : "memory");
    asm volatile("red.and.b32 [%0+12], %1;" ::"l"(out), "r"(in[i]) : "memory");
    asm volatile("red.global.xor.b32 [%0+16], %1;" ::"l"(out), "r"(in[i]) : "memory");
    asm volatile("red.global.inc.u32 [%0+20], %1;" ::"l"(out), "r"(9) : "memory");
    asm volatile("red.global.dec.u32 [%0+24], %1;" ::"l"(out), "r"(10) : "memory");
    asm volatile("red.global.add.f32 [%0+28], %1;" ::"l"(out), "f"((float)(in[i] & 0xff)) : "memory");
    asm volatile("red.global.add.u64 [%0+32], %1;" ::"l"(out), "l"((unsigned long long)in[i] << 8) : "memory");
    asm volatile("red.global.add.f64 [%0+40], %1;" ::"l"(out), "d"((double)in[i]) : "memory");
    asm volatile("red.global.max.s64 [%0+48], %1;" ::"l"(out), "l"((long long)(int)in[i] << 20) : "memory");
    asm volatile("red.relaxed.cta.shared::cta.or.b32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(&bits)), "r"(in[i] & 0x10101) : "memory");
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(out + 32 + i % 4 * 2), "f"((float)(in[i] & 15)), "f"((float)i) : "memory");
    __syncthreads();
    out[64 + i] = bits;
}

// === threadfence_block
// A warp publishes values, another waits for them.
// launch: grid=2 block=64

extern "C" __global__ void threadfence_block(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[32], ready[32];
    if (threadIdx.x < 32) ready[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        values[threadIdx.x] = in[i];
        __threadfence_block();
        atomicExch(&ready[threadIdx.x], 1u);
    } else {
        unsigned other = 63 - threadIdx.x;
        while (atomicAdd(&ready[other], 0u) == 0) {}
        __threadfence_block();
        out[i] = values[other] + 1;
    }
}

// What CUDA C++ offers beyond loads, stores and barriers, one kernel a feature, for `emulated_features.rs`. Every thread writes
// its results to `out`, at its number in the launch and further on by the number of threads.

#include "repro.cuh"

#define ALL_LANES 0xffffffffu

static __device__ __forceinline__ int thread_of_block() {
    return threadIdx.y * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ int threads_of_launch() {
    return gridDim.x * gridDim.y * blockDim.x * blockDim.y;
}

static __device__ __forceinline__ int thread_of_launch() {
    return (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + thread_of_block();
}

/// All four kinds of shuffle over parts of `width` lanes; `by` is the lane, the distance or the mask.
KERNEL void shuffles(int *out, int by, int width) {
    const int value = 100 + thread_of_launch();
    int *own = out + thread_of_launch();
    const int stride = threads_of_launch();
    own[0] = __shfl_sync(ALL_LANES, value, by, width);
    own[stride] = __shfl_up_sync(ALL_LANES, value, by, width);
    own[2 * stride] = __shfl_down_sync(ALL_LANES, value, by, width);
    own[3 * stride] = __shfl_xor_sync(ALL_LANES, value, by, width);
}

/// The sum over a warp, and a shuffle of eight bytes.
KERNEL void warp_sums(float *out) {
    float sum = thread_of_block();
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, distance);
    }
    const long long wide = __shfl_down_sync(ALL_LANES, (long long)thread_of_block() << 33, 1);
    out[thread_of_launch()] = sum;
    out[thread_of_launch() + threads_of_launch()] = wide >> 33;
}

/// Votes of whole warps and of the lower half of each.
KERNEL void votes(unsigned *out, int below) {
    unsigned *own = out + thread_of_launch();
    const int stride = threads_of_launch();
    const int lane = thread_of_block() % 32;
    own[0] = __ballot_sync(ALL_LANES, lane < below);
    own[stride] = __any_sync(ALL_LANES, lane < below);
    own[2 * stride] = __all_sync(ALL_LANES, lane < below);
    own[3 * stride] = lane < 16 ? __ballot_sync(0x0000ffffu, lane % 3 == 0) : 0;
}

/// Neighbours exchanged through shared memory with the barrier of a warp alone.
KERNEL void warp_barrier(float *out) {
    __shared__ float values[64];
    const int own = thread_of_block();
    values[own] = own;
    __syncwarp();
    const float neighbour = values[own ^ 5];
    __syncwarp();
    values[own] = neighbour * 2.0f;
    __syncwarp();
    out[thread_of_launch()] = values[own ^ 1];
}

/// out: eight words, filled by all threads of the launch.
KERNEL void integer_atomics(int *out) {
    const int own = thread_of_launch();
    unsigned *bits = (unsigned *)out;
    atomicAdd(&out[0], own);
    atomicMin(&out[1], -own);
    atomicMax(&out[2], own - 50);
    atomicAdd(&bits[3], 0x80000000u + own);
    atomicMin(&bits[4], 0xfffffff0u - own);
    atomicMax(&bits[5], 0x7ffffff0u + own);
    atomicSub(&out[6], 2);
    atomicOr(&out[7], 1 << own % 31);
}

/// out[0]: a float sum. out[1]: one by compare-and-swap. out[3]: how many exchanges of out[2] found it set. out[4]: tickets
/// drawn, and behind it a 1 for each.
KERNEL void float_atomics(float *out) {
    atomicAdd(&out[0], 0.5f);
    int *bits = (int *)&out[1];
    int known = atomicAdd(bits, 0);
    for (;;) {
        const int before = atomicCAS(bits, known, __float_as_int(__int_as_float(known) + 1.0f));
        if (before == known) {
            break;
        }
        known = before;
    }
    atomicAdd(&out[3], atomicExch(&out[2], 1.0f));
    const int ticket = atomicAdd((int *)&out[4], 1);
    out[5 + ticket] = 1.0f;
}

__constant__ float primes[5] = {2.0f, 3.0f, 5.0f, 7.0f, 11.0f};

static __device__ __noinline__ float entry_of(const float *table, int at) {
    return table[at];
}

/// Entries of a table of constants, by way of a pointer to it.
KERNEL void constants(float *out) {
    out[thread_of_launch()] = entry_of(primes, thread_of_launch() % 5);
}

/// A value stored and read back by the same thread, with every fence between.
KERNEL void fences(int *out) {
    int *own = out + thread_of_launch();
    own[0] = threadIdx.x;
    __threadfence_block();
    own[0] += 1;
    __threadfence();
    own[0] += 1;
    __threadfence_system();
    own[0] += 1;
}

/// A block's values turned around in shared memory whose size the launch gives.
KERNEL void dynamic_shared(const float *in, float *out) {
    DYNAMIC_SHARED(float, values);
    const int own = thread_of_block();
    const int threads = blockDim.x * blockDim.y;
    values[own] = in[thread_of_launch()];
    __syncthreads();
    out[thread_of_launch()] = values[threads - 1 - own];
}

/// Two arrays in it, one of four floats an element.
KERNEL void dynamic_shared_parts(const float *in, float *out) {
    DYNAMIC_SHARED(float4, quads);
    float *singles = (float *)(quads + blockDim.x);
    const int own = threadIdx.x;
    quads[own] = ((const float4 *)in)[own];
    singles[own] = own;
    __syncthreads();
    const float4 next = quads[(own + 1) % blockDim.x];
    out[own] = next.x + next.y + next.z + next.w + singles[blockDim.x - 1 - own];
}

KERNEL void float4_copy(const float4 *in, float4 *out) {
    out[thread_of_launch()] = in[thread_of_launch()];
}

KERNEL void vectors(const float4 *in, float4 *out) {
    const float4 four = __ldg(&in[thread_of_launch()]);
    const int4 whole = make_int4((int)four.x, (int)four.y, (int)four.z, (int)four.w);
    const uint2 two = make_uint2(whole.x + whole.y, whole.z + whole.w);
    float4 sums = make_float4(two.x, two.y, two.x * 2, four.w);
    sums.z += four.x;
    out[thread_of_launch()] = sums;
}

KERNEL void integer_vectors(const int4 *in, uint2 *out) {
    const int4 four = in[thread_of_launch()];
    out[thread_of_launch()] = make_uint2(four.x ^ four.w, four.y - four.z);
}

/// pairs: two floats a thread.
KERNEL void minimums(const float2 *pairs, float *out) {
    const float2 pair = pairs[thread_of_launch()];
    float *own = out + thread_of_launch();
    const int stride = threads_of_launch();
    own[0] = fminf(pair.x, pair.y);
    own[stride] = fmaxf(pair.x, pair.y);
    own[2 * stride] = min(pair.x, pair.y);
    own[3 * stride] = max(pair.x, pair.y);
}

KERNEL void integer_arithmetic(int *out) {
    const int own = thread_of_launch() - 16;
    const int stride = threads_of_launch();
    int *place = out + thread_of_launch();
    place[0] = min(own, 3);
    place[stride] = max(own, -3);
    place[2 * stride] = (int)min((unsigned)own, 7u);
    place[3 * stride] = __float_as_int(__int_as_float(0x3f800000 + own));
    place[4 * stride] = __popc(own) * 10000 + __clz(own) * 100 + __ffs(own);
}

/// Where each thread is, as one number.
KERNEL void places(int *out) {
    const int extents = blockDim.x * 1000000 + blockDim.y * 100000 + gridDim.x * 10000 + gridDim.y * 1000;
    const int own = threadIdx.x + threadIdx.y * 10 + blockIdx.x * 100 + blockIdx.y * 1000;
    out[thread_of_launch()] = extents * 10 + own;
    out[thread_of_launch() + threads_of_launch()] = warpSize + threadIdx.z + blockIdx.z + blockDim.z + gridDim.z;
}

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

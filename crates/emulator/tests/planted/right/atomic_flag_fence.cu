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

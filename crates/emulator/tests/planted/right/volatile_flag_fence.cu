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

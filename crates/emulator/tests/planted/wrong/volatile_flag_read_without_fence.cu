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

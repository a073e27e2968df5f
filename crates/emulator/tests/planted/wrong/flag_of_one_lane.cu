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

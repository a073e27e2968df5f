// A warp that makes values does not wait for the warp that uses them, but for the place to be free.
// launch: grid=2 block=64

extern "C" __global__ void more_bar_arrive(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[32];
    unsigned lane = threadIdx.x % 32, sum = 0;
    for (unsigned round = 0; round < 4; ++round) {
        if (threadIdx.x < 32) {
            if (round > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
            values[lane] = in[i + round * 64] * (round + 1);
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum = sum * 5 + values[31 - lane];
            if (round < 3) asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
    out[i] = sum;
}

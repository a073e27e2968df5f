// Some lanes return; those that stay name only each other.
// launch: grid=1 block=64
extern "C" __global__ void lanes_leave_before_shuffle(const unsigned *in, unsigned *out) {
    const unsigned lane = threadIdx.x % 32;
    if (lane >= 20) return;
    unsigned sum = in[threadIdx.x];
    sum += __shfl_sync(0x000fffff, sum, (lane + 7) % 20);
    __syncwarp(0x000fffff);
    sum ^= __reduce_add_sync(0x000fffff, sum);
    out[threadIdx.x] = sum;
}

// The timer of the device, in nanoseconds, by PTX.
// launch: grid=2 block=64

extern "C" __global__ void globaltimer(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long start, end;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    unsigned value = in[i] + 1;
    __syncthreads();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
    out[i] = value + (end >= start) * 2;
}

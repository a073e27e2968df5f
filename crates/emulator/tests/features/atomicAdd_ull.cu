// Atomic addition of 64-bit numbers, with a carry between the halves.
// launch: grid=2 block=64

extern "C" __global__ void atomicAdd_ull(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long *sums = (unsigned long long *)out;
    atomicAdd(&sums[i % 4], (unsigned long long)in[i] * 3);
    atomicAdd(&sums[4], ~0ull);
}

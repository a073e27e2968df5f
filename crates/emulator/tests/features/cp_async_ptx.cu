// Copies to shared memory by PTX, in groups.
// launch: grid=2 block=64

extern "C" __global__ void cp_async_ptx(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) unsigned values[256];
    unsigned target = (unsigned)__cvta_generic_to_shared(&values[4 * threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target), "l"(in + 4 * i) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 4; ++k) sum = sum * 3 + values[(threadIdx.x + 64 * k) % 256];
    out[i] = sum;
}

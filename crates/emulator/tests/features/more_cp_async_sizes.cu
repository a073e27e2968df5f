// Copies of 4, 8 and 16 bytes, some shorter at the source: the rest is zero.
// launch: grid=2 block=64

extern "C" __global__ void more_cp_async_sizes(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) unsigned values[64 * 8];
    for (unsigned k = 0; k < 8; ++k) values[8 * threadIdx.x + k] = ~0u;
    __syncthreads();
    unsigned target = (unsigned)__cvta_generic_to_shared(&values[8 * threadIdx.x]), bytes = in[i] % 5 * 4;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(in + i) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(target + 8), "l"(in + 2 * i), "r"(bytes & 4) : "memory");
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(target + 16), "l"(in + 4 * i), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 8; ++k) sum = sum * 7 + values[8 * (63 - threadIdx.x) + k];
    out[i] = sum;
}

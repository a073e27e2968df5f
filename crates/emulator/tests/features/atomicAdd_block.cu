// An atomic addition of the scope of a block.
// launch: grid=2 block=64
// kernel: atomicAdd_block_kernel

extern "C" __global__ void atomicAdd_block_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = in[i] & 0xfff;
    atomicAdd_block(&out[blockIdx.x], sum);
    __syncthreads();
    unsigned before = atomicAdd_block(&out[blockIdx.x], 0u);
    out[64 + i] = before;
}

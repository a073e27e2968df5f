// More shared memory than 48 KB, which the launch must ask for.
// launch: grid=2 block=64 dynamic=102400

extern __shared__ __align__(16) unsigned char more_dynamic_100k_bytes[];

extern "C" __global__ void more_dynamic_100k(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *words = reinterpret_cast<unsigned *>(more_dynamic_100k_bytes), size;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    for (unsigned k = threadIdx.x; k < size / 4; k += blockDim.x) words[k] = in[k % 4096] + k;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 100; ++k) sum = sum * 3 + words[(threadIdx.x * 397 + k * 255 + blockIdx.x) % 25600];
    out[i] = sum + size;
}

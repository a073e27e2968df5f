// An atomic addition of the scope of the system.
// launch: grid=2 block=64
// kernel: atomicAdd_system_kernel

extern "C" __global__ void atomicAdd_system_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd_system(&out[i % 16], in[i]);
    atomicAdd_system((int *)&out[16], -1);
    atomicMax_system(&out[17], in[i] & 0xffff);
}

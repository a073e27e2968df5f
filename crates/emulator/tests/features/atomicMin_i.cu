// Least and greatest of signed and unsigned numbers.
// launch: grid=2 block=64

extern "C" __global__ void atomicMin_i(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMin((int *)&out[0], (int)in[i]);
    atomicMax((int *)&out[1], (int)in[i]);
    atomicMin(&out[2], in[i]);
    atomicMax(&out[3], in[i]);
    atomicMin((long long *)&out[4], (long long)(int)in[i] * 1000000);
    atomicMax((unsigned long long *)&out[6], (unsigned long long)in[i] << 20);
}

// Stores that are written through.
// launch: grid=2 block=64

extern "C" __global__ void stwt(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __stwt(&out[i], in[i] ^ 1);
    __stwt((double *)out + 512 + i, (double)in[i]);
    __stwb(&out[2048 + i], in[i] + 2);
}

// Constant memory with values given where it is declared.
// launch: grid=2 block=64

__constant__ unsigned const_init_primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ float const_init_half = 0.5f;

extern "C" __global__ void const_init(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = const_init_primes[in[i] % 8] * 10 + (unsigned)((float)(in[i] & 62) * const_init_half);
}

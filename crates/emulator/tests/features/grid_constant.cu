// A struct of constants for the whole grid, whose address may be taken.
// launch: grid=2 block=64
// arguments: in out struct:3,5,7

struct grid_constant_factors { unsigned values[3]; };

extern "C" __global__ void grid_constant(const unsigned *in, unsigned *out, const __grid_constant__ grid_constant_factors factors) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned *first = &factors.values[0];
    out[i] = in[i] * first[i % 3] + factors.values[in[i] % 3];
}

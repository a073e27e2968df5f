// Constants of the grid of plain types, the word before and after const.
// launch: grid=2 block=64
// arguments: in out int:-5 uint:9

extern "C" __global__ void gridconst(const unsigned *in, unsigned *out, __grid_constant__ const int offset, const __grid_constant__ unsigned factor) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int *place = &offset;
    out[i] = in[i] * factor + (unsigned)*place;
}

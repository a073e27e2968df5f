// Mistake: all lanes call with a mask of the lower half.
// launch: grid=1 block=32
// finds: warp-operation
// line: 6
extern "C" __global__ void shuffle_caller_outside_mask(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = __shfl_sync(0x0000ffff, in[threadIdx.x], threadIdx.x & 15);
}

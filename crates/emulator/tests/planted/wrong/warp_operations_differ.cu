// Mistake: half of the lanes vote while the other half shuffles, each naming all.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7 8
extern "C" __global__ void warp_operations_differ(const unsigned *in, unsigned *out) {
    unsigned value = in[threadIdx.x];
    if (threadIdx.x < 16) value = __ballot_sync(~0u, value & 1);
    else value = __shfl_sync(~0u, value, 16);
    out[threadIdx.x] = value;
}

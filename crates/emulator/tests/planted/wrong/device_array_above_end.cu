// Mistake: the module's array has one element a thread of the first block only.
// launch: grid=2 block=64
// finds: out-of-bounds
// line: 8 9
__device__ unsigned device_array_above_end_places[64];
extern "C" __global__ void device_array_above_end(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    device_array_above_end_places[i] = in[i];
    out[i] = device_array_above_end_places[i] * 3;
}

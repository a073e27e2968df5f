// Both ways of a branch load the same, and neither uses it.
// launch: grid=1 block=32
extern "C" __global__ void unused_branch(const unsigned *in, unsigned *out) {
    unsigned value;
    if (in[threadIdx.x] & 1) {
        value = in[threadIdx.x + 32];
    } else {
        value = in[threadIdx.x + 64];
    }
    value = 3;
    out[threadIdx.x] = value;
}

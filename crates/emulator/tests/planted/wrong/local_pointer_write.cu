// Mistake: a function stores past a local array that it gets by its address.
// launch: grid=1 block=32
// finds: out-of-bounds
__device__ void local_pointer_write_fill(unsigned *to, unsigned count, unsigned x) {
    for (unsigned i = 0; i < count; i++) {
        to[i] = x + i;
    }
}
extern "C" __global__ void local_pointer_write(const unsigned *in, unsigned *out) {
    unsigned own[8], other[8];
    local_pointer_write_fill(other, 8, 1);
    local_pointer_write_fill(own, in[0] % 2 + 9, in[threadIdx.x]);
    out[threadIdx.x] = own[threadIdx.x % 8] + other[threadIdx.x % 8];
}

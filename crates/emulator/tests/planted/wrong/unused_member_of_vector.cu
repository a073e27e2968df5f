// Mistake: a vector of the neighbour's is loaded without a barrier, and one part of it is compared with itself.
// launch: grid=1 block=64
// finds: race-in-block unwritten
extern "C" __global__ void unused_member_of_vector(const unsigned *in, unsigned *out) {
    __shared__ uint4 values[64];
    values[threadIdx.x] = make_uint4(in[threadIdx.x], 0, 0, 0);
    const uint4 other = values[63 - threadIdx.x];
    out[threadIdx.x] = other.x == other.x ? 1 : 2;
}

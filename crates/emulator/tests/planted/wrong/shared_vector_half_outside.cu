// Mistake: a vector of 16 bytes begins at byte 16 of an array of 24 bytes.
// launch: grid=1 block=2
// finds: out-of-bounds
// line: 9
extern "C" __global__ void shared_vector_half_outside(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned values[6];
    for (unsigned k = threadIdx.x; k < 6; k += 2) values[k] = in[k];
    __syncwarp(3);
    const uint4 v = reinterpret_cast<uint4 *>(values)[threadIdx.x];
    out[threadIdx.x] = v.x ^ v.y ^ v.z ^ v.w;
}

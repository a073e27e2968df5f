// Mistake: the vector that is read through the read-only path contains one word that the launch writes.
// launch: grid=1 block=32
// finds: read-only
// line: 6 8
extern "C" __global__ void ldg_of_vector(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 9) out[39] = in[9];
    __syncthreads();
    const uint4 v = __ldg(reinterpret_cast<const uint4 *>(out) + threadIdx.x);
    out[1024 + threadIdx.x] = v.x + v.y + v.z + v.w;
}

// Mistake: a vector of shared words at an odd word's address, seen by the index and not by the declaration.
// launch: grid=1 block=32
// finds: misaligned
// line: 9
extern "C" __global__ void misaligned_shared_array(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned values[132];
    for (unsigned k = threadIdx.x; k < 132; k += 32) values[k] = in[k];
    __syncwarp();
    const float4 v = *reinterpret_cast<float4 *>(values + threadIdx.x * 4 + 2);
    out[threadIdx.x] = __float_as_uint(v.x) ^ __float_as_uint(v.w);
}

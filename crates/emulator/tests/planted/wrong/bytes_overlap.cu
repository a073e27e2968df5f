// Mistake: each thread writes two bytes where one is its own.
// launch: grid=1 block=64
// finds: race-in-block
// line: 7 8
extern "C" __global__ void bytes_overlap(const unsigned *in, unsigned *out) {
    __shared__ unsigned char bytes[66];
    bytes[threadIdx.x] = in[threadIdx.x];
    bytes[threadIdx.x + 1] = in[threadIdx.x] >> 8;
    __syncthreads();
    out[threadIdx.x] = bytes[threadIdx.x];
}

// Blocks and threads in three dimensions.
// launch: grid=2x2x2 block=4x4x4

extern "C" __global__ void blockDim_z(const unsigned *in, unsigned *out) {
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block * 64 + thread] = in[thread] + blockDim.z * 3 + gridDim.z * 5 + blockIdx.z * threadIdx.z;
}

// A two-dimensional array of vectors in shared memory, a column of padding included.
// launch: grid=2 block=64

extern "C" __global__ void shared_float4_2d(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float4 tile[8][9];
    unsigned row = threadIdx.x / 8, column = threadIdx.x % 8;
    tile[row][column] = make_float4((float)(in[i] & 0xfff), (float)row, (float)column, 0.0f);
    __syncthreads();
    float4 other = tile[column][row];
    out[i] = (unsigned)other.x * 100 + (unsigned)(other.y * 10.0f) + (unsigned)other.z;
}

// Mistake: the sum of a row goes over the column of padding too.
// launch: grid=1 block=32
// finds: unwritten
// line: 10
extern "C" __global__ void shared_padding_read(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32][33];
    for (unsigned k = 0; k < 32; k++) tile[k][threadIdx.x] = in[k * 32 + threadIdx.x];
    __syncwarp();
    unsigned sum = 0;
    for (unsigned k = 0; k < 33; k++) sum += tile[threadIdx.x][k];
    out[threadIdx.x] = sum;
}

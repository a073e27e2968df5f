// Four threads write the four bytes of a word: different bytes are different memory.
// launch: grid=2 block=64
extern "C" __global__ void bytes_of_one_word(const unsigned *in, unsigned *out) {
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] >> 13;
    reinterpret_cast<unsigned char *>(out)[4096 + blockIdx.x + 2 * threadIdx.x] = in[threadIdx.x] >> 7;
    __syncthreads();
    if (threadIdx.x < 64 / 4) {
        unsigned word = 0;
        for (int k = 3; k >= 0; k--) word = word << 8 | bytes[threadIdx.x * 4 + k];
        out[blockIdx.x * 16 + threadIdx.x] = word;
    }
}

// Even threads write and read the lower half of a word while odd threads change the upper half.
// launch: grid=1 block=64
extern "C" __global__ void halves_of_one_word(const unsigned *in, unsigned *out) {
    __shared__ unsigned short halves[64];
    halves[threadIdx.x] = in[threadIdx.x];
    for (int k = 0; k < 5; k++) halves[threadIdx.x] = halves[threadIdx.x] * 3 + k;
    reinterpret_cast<unsigned short *>(out)[threadIdx.x] = halves[threadIdx.x];
}

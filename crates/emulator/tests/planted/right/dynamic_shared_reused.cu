// The same bytes serve two phases, with a barrier in between.
// launch: grid=2 block=32 dynamic=512
extern "C" __global__ void dynamic_shared_reused(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned dynamic_shared_reused_words[];
    const unsigned thread = threadIdx.x;
    for (unsigned k = 0; k < 4; k++) dynamic_shared_reused_words[k * 32 + thread] = in[blockIdx.x * 128 + k * 32 + thread];
    __syncwarp();
    unsigned sum = 0;
    for (unsigned k = 0; k < 4; k++) sum += dynamic_shared_reused_words[thread * 4 + (k + thread) % 4];
    __syncwarp();
    unsigned short *halves = reinterpret_cast<unsigned short *>(dynamic_shared_reused_words);
    halves[thread] = sum;
    __syncwarp();
    out[blockIdx.x * 32 + thread] = sum ^ halves[31 - thread];
}

// Dynamic shared memory is cut into parts of different types; every part is used to its last element.
// launch: grid=1 block=64 dynamic=896
extern "C" __global__ void dynamic_shared_split(const unsigned *in, unsigned *out) {
    extern __shared__ __align__(16) unsigned char dynamic_shared_split_memory[];
    unsigned long long *wide = reinterpret_cast<unsigned long long *>(dynamic_shared_split_memory);
    unsigned *words = reinterpret_cast<unsigned *>(dynamic_shared_split_memory + 512);
    unsigned short *halves = reinterpret_cast<unsigned short *>(dynamic_shared_split_memory + 768);
    const unsigned thread = threadIdx.x, value = in[thread];
    wide[thread] = value * 7ull, words[thread] = value, halves[thread] = value >> 5;
    __syncthreads();
    const unsigned other = 63 - thread;
    out[thread] = unsigned(wide[other] >> 8) ^ words[thread ^ 32] ^ halves[other];
}

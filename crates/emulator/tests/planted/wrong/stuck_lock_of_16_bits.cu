// A lock of 16 bits that is never given back; the half beside it holds something.
// launch: grid=1 block=32
// finds: stuck
extern "C" __global__ void stuck_lock_of_16_bits(const unsigned *in, unsigned *out) {
    unsigned short *lock = (unsigned short *)(out + 4000);
    if (threadIdx.x == 0) { lock[0] = 1; lock[1] = 7; }
    __syncthreads();
    if (threadIdx.x == 1) while (atomicCAS(lock, (unsigned short)0, (unsigned short)1) != 0) {}
    out[threadIdx.x] = 1;
}

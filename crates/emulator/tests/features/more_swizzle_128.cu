// Rows of 128 bytes whose pieces of 16 bytes change places with the row.
// launch: grid=2 block=64

extern "C" __global__ void more_swizzle_128(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(1024) unsigned char tile[16 * 128];
    for (unsigned piece = threadIdx.x; piece < 128; piece += 64) {
        unsigned offset = piece * 16, mixed = offset ^ ((offset & 0x380) >> 3);
        *reinterpret_cast<uint4 *>(tile + mixed) = reinterpret_cast<const uint4 *>(in)[piece + 128 * blockIdx.x];
    }
    __syncthreads();
    unsigned sum = 0;
    for (unsigned row = 0; row < 16; ++row) {
        unsigned offset = row * 128 + threadIdx.x % 8 * 16 + threadIdx.x / 8 % 4 * 4;
        sum = sum * 3 + *reinterpret_cast<unsigned *>(tile + (offset ^ ((offset & 0x380) >> 3)));
    }
    out[i] = sum;
}

// min and max of signed with unsigned numbers: both are taken as unsigned.
// launch: grid=2 block=64

extern "C" __global__ void min_mixed(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int negative = -(int)(in[i] & 0xff) - 1;
    out[i] = min(negative, in[i]) ^ max(in[i + 1], negative);
    out[i + 1024] = (unsigned)min((long long)negative, (unsigned long long)in[i]) + (unsigned)(max(1ull, (long long)negative) >> 32);
}

// min and max of long and long long, signed and unsigned.
// launch: grid=2 block=64

extern "C" __global__ void min_long(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    long a = (long)(int)in[i] * 65536, b = (long)(int)in[i + 1] * 65536;
    long long c = (long long)a * 3, d = -5;
    unsigned long e = (unsigned long)in[i] << 8;
    unsigned long long f = (unsigned long long)b;
    out[i] = (unsigned)(min(a, b) >> 16) ^ (unsigned)(max(c, d) >> 10);
    out[i + 1024] = (unsigned)(min(e, (unsigned long)f) >> 7) ^ (unsigned)(max(f, 77ull) >> 33);
}

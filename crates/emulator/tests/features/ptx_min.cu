// Least values by PTX, of signed, unsigned and floating numbers.
// launch: grid=2 block=64

extern "C" __global__ void ptx_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned least;
    int lowest;
    float low;
    asm("min.u32 %0, %1, %2;" : "=r"(least) : "r"(in[i]), "r"(in[i + 1]));
    asm("min.s32 %0, %1, %2;" : "=r"(lowest) : "r"((int)in[i]), "r"(-7));
    asm("min.f32 %0, %1, %2;" : "=f"(low) : "f"((float)(int)in[i]), "f"(3.5f));
    out[i] = least ^ (unsigned)lowest ^ __float_as_uint(low);
}

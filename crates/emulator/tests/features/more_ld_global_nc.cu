// Loads of vectors by the read-only path, by PTX.
// launch: grid=2 block=64

extern "C" __global__ void more_ld_global_nc(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a, b, c, d;
    float x, y;
    unsigned long long wide;
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(in + 4 * i));
    asm volatile("ld.global.nc.L1::no_allocate.v2.f32 {%0, %1}, [%2 + 8];" : "=f"(x), "=f"(y) : "l"(in + 4 * i));
    asm("ld.global.nc.L2::128B.u64 %0, [%1];" : "=l"(wide) : "l"(in + 2 * i));
    out[i] = a ^ (b * 3) ^ (c * 5) ^ (d * 7);
    out[i + 1024] = __float_as_uint(x) + 3 * __float_as_uint(y) + (unsigned)(wide >> 16);
}

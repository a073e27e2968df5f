// Warps that give registers back, for others to take.
// launch: grid=1 block=384
// arch: 90a

extern "C" __global__ void __launch_bounds__(384, 1) more_setmaxnreg(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        values[threadIdx.x] = in[threadIdx.x];
        asm volatile("bar.sync 1, 384;" ::: "memory");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        asm volatile("bar.sync 1, 384;" ::: "memory");
        out[threadIdx.x] = values[threadIdx.x % 128] * (threadIdx.x / 128);
    }
}

// Loads and stores of vectors, bytes and halves, in shared and global memory.
// launch: grid=2 block=64

extern "C" __global__ void more_ptx_vectors(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned values[64 * 4];
    unsigned place = (unsigned)__cvta_generic_to_shared(&values[4 * threadIdx.x]), a, b, byte;
    int half;
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(place), "r"(in[i]), "r"(in[i + 1]), "r"(5), "r"(~in[i]) : "memory");
    __syncthreads();
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2+8];" : "=r"(a), "=r"(b) : "r"(place ^ 16) : "memory");
    asm volatile("ld.shared.u8 %0, [%1+3];" : "=r"(byte) : "r"(place) : "memory");
    asm volatile("ld.global.s16 %0, [%1+-2];" : "=r"(half) : "l"(in + i + 1) : "memory");
    asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(out + 2 * i), "r"(a + byte), "r"(b) : "memory");
    asm volatile("st.global.u16 [%0+2], %1;" ::"l"(out + 1024 + i), "h"((short)half) : "memory");
    asm volatile("st.global.wt.u32 [%0], %1;" ::"l"(out + 2048 + i), "r"(half) : "memory");
    asm volatile("st.f32 [%0], %1;" ::"l"(out + 3072 + i), "f"((float)half) : "memory");
}

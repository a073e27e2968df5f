// Which memory an address is of, by PTX, and addresses carried between the kinds.
// launch: grid=2 block=64

extern "C" __global__ void more_isspacep(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    unsigned own[2] = {in[i], 9}, shared, global, local, value;
    values[threadIdx.x] = in[i];
    __syncthreads();
    const unsigned *place = i % 3 == 0 ? &values[threadIdx.x] : i % 3 == 1 ? &own[in[i] & 1] : &in[i];
    asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(shared) : "l"(place));
    asm("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(global) : "l"(place));
    asm("{ .reg .pred p; isspacep.local p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(local) : "l"(place));
    unsigned long long address;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(&values[63 - threadIdx.x]));
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"((unsigned)address) : "memory");
    asm("cvta.shared.u64 %0, %0;" : "+l"(address));
    const unsigned *again = (const unsigned *)__cvta_shared_to_generic(__cvta_generic_to_shared(values));
    size_t in_global = __cvta_generic_to_global(in + i);
    unsigned loaded;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(loaded) : "l"(in_global) : "memory");
    out[i] = *place + shared + 2 * global + 4 * local + value;
    out[i + 1024] = *(const unsigned *)address + again[5] + loaded * 3;
}

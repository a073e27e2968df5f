// === more_bit_fields
// Fields of bits taken out, put in, searched and shifted by PTX.
// launch: grid=2 block=64

extern "C" __global__ void more_bit_fields(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned field, put, place, shifted, high, reversed;
    int with_sign;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(in[i]), "r"(i % 40), "r"(9));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(with_sign) : "r"((int)in[i]), "r"(i % 32), "r"(i % 13));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(put) : "r"(in[i]), "r"(in[i + 1]), "r"(i % 32), "r"(11));
    asm("bfind.u32 %0, %1;" : "=r"(place) : "r"(in[i] >> (i % 32)));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(shifted) : "r"(in[i]), "r"(in[i + 1]), "r"(i % 40));
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(high) : "r"(in[i]), "r"(in[i + 1]), "r"(i % 40));
    asm("brev.b32 %0, %1;\n\tpopc.b32 %0, %0;" : "=r"(reversed) : "r"(in[i]));
    out[i] = field ^ (unsigned)with_sign ^ (put * 3);
    out[i + 1024] = place + shifted + high * 3 + reversed;
}

// === more_cvt
// Conversions by PTX: kept within the range, in each way of rounding, of pairs.
// launch: grid=2 block=64

extern "C" __global__ void more_cvt(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int wide = (int)in[i], rounded, down, small;
    unsigned bytes, half, pair, single, zero;
    float value = (float)((int)(in[i] & 0xffff) - 32768) / 64.0f;
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(rounded) : "f"(value * 1.0e8f));
    asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(down) : "f"(value));
    asm("cvt.rni.u32.f32 %0, %1;" : "=r"(zero) : "f"(-fabsf(value)));
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(small) : "r"(wide >> (i % 32)));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(wide >> 20), "r"(wide >> 24), "r"(in[i + 1]));
    asm("{ .reg .f16 h; cvt.rn.f16.f32 h, %1; mov.b32 %0, {h, h}; }" : "=r"(half) : "f"(value));
    asm("cvt.rz.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(value), "f"((float)(in[i] >> 20)));
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(single) : "f"((float)(in[i] >> 8)));
    out[i] = (unsigned)rounded ^ ((unsigned)down * 3) ^ zero;
    out[i + 1024] = (unsigned)small + bytes;
    out[i + 2048] = half ^ (pair * 3);
    // The low bits that TF32 has not are left open.
    out[i + 3072] = single & 0xffffe000;
}

// === more_isspacep
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

// === more_lop3
// Any function of three bits, by its table.
// launch: grid=2 block=64

extern "C" __global__ void more_lop3(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned odd, most, picked, any;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(odd) : "r"(in[i]), "r"(in[i + 1]), "r"(in[i + 2]));
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(most) : "r"(in[i]), "r"(in[i + 1]), "r"(in[i + 2]));
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(picked) : "r"(in[i]), "r"(in[i + 1]), "r"(in[i + 2]), "n"((0xf0 & 0xcc) | (~0xf0 & 0xaa & 0xff)));
    asm("{ .reg .pred p, q; setp.eq.u32 q, 1, 2; lop3.or.b32 %0|p, %1, %2, 0, 0xc0, q; @p add.u32 %0, %0, 1; }" : "=r"(any) : "r"(in[i] & 7), "r"(in[i + 1] & 7));
    out[i] = odd ^ (most * 3);
    out[i + 1024] = picked + any;
}

// === more_prmt
// Bytes picked in each mode of prmt.
// launch: grid=2 block=64

extern "C" __global__ void more_prmt(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned plain, forward, backward, copies, from_left, from_right, halves, signs;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(plain) : "r"(in[i]), "r"(in[i + 1]), "r"(in[i + 2] & 0x7777));
    asm("prmt.b32 %0, %1, %2, 0xba98;" : "=r"(signs) : "r"(in[i]), "r"(in[i + 1]));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(forward) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(backward) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(copies) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(from_left) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(from_right) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(halves) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    out[i] = plain ^ (forward * 3);
    out[i + 1024] = backward ^ (copies * 3);
    out[i + 2048] = from_left ^ (from_right * 3);
    out[i + 3072] = halves ^ (signs * 3);
}

// === more_ptx_control
// Registers, predicates, jumps and loops within one asm.
// launch: grid=2 block=64

extern "C" __global__ void more_ptx_control(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned steps, clamped = in[i], sum, carry;
    asm("{\n\t.reg .pred more;\n\t.reg .u32 left;\n\tmov.u32 %0, 0;\n\tmov.u32 left, %1;\n"
        "loop:\n\tadd.u32 %0, %0, left;\n\tsub.u32 left, left, 1;\n\tsetp.gt.s32 more, left, 0;\n\t@more bra loop;\n\t}"
        : "=&r"(steps)
        : "r"(in[i] % 7));
    asm("{ .reg .pred p, q; setp.hi.u32 p, %0, 1000; setp.lt.and.u32 q, %0, 5, !p; @p mov.u32 %0, 1000; @q mov.u32 %0, 5; @!q add.u32 %0, %0, 1; }" : "+r"(clamped));
    asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, 0, 0;" : "=r"(sum), "=r"(carry) : "r"(in[i]), "r"(in[i + 1]));
    unsigned low, high;
    asm("{ .reg .u64 wide; mul.wide.u32 wide, %2, %3; mov.b64 {%0, %1}, wide; }" : "=r"(low), "=r"(high) : "r"(in[i]), "r"(in[i + 1]));
    int mad, slct;
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(mad) : "r"((int)in[i]), "r"((int)in[i + 1]), "n"(-3));
    asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(slct) : "r"(mad), "r"(8), "r"((int)in[i]));
    out[i] = steps * 3 + clamped;
    out[i + 1024] = sum + carry * 5;
    out[i + 2048] = low ^ high;
    out[i + 3072] = (unsigned)slct;
}

// === more_ptx_vectors
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

// === more_warp_ptx
// Votes and shuffles by PTX.
// launch: grid=2 block=64

extern "C" __global__ void more_warp_ptx(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned votes, value, inside, same, active = __activemask();
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(votes) : "r"(in[i] & 2));
    asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 3, 0, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(value), "=r"(inside) : "r"(in[i]));
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(in[i] & 3));
    unsigned turned, half;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=r"(turned) : "r"(in[i]), "r"(threadIdx.x / 32 + 4));
    asm volatile("shfl.sync.idx.b32 %0, %1, 5, 0x181f, 0xffffffff;" : "=r"(half) : "r"(in[i]));
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    out[i] = votes ^ (value * 3);
    out[i + 1024] = inside + same * 5 + (active >> threadIdx.x % 32 & 1);
    out[i + 2048] = turned ^ (half * 3);
}

// === ptx_laneid
// The place of a thread in its warp, by PTX.
// launch: grid=2 block=64

extern "C" __global__ void ptx_laneid(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane, below, equal, from;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm("mov.u32 %0, %lanemask_eq;" : "=r"(equal));
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(from));
    out[i] = in[i] + lane + (below ^ (from * 3)) + equal;
}

// === ptx_min
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

// How fast the device can do the arithmetic of a task (one add, one minimum) with every operand in a register, by different
// instructions.

#include "repro.cuh"

// Enough independent chains for the adds of some to hide the latency of the minimums of others.
#define CHAINS 16

/// Each thread does rounds x 2 x CHAINS tasks. sink: one float, written only for an input that is never passed; it keeps
/// the compiler from dropping the work.
KERNEL void add_min_registers(float *sink, int rounds, float step, float never) {
    float near[CHAINS];
    float far[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
        near[chain] = threadIdx.x + chain;
        far[chain] = threadIdx.x * 2 + chain;
    }
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain) {
            near[chain] = relax(near[chain], far[chain], step);
        }
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain) {
            far[chain] = relax(far[chain], near[chain], step);
        }
    }
    float sum = 0.0f;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
        sum += near[chain] + far[chain];
    }
    if (sum == never) {
        *sink = sum;
    }
}

// A thread's tile of the kernels below: each round relaxes its SIDE x SIDE elements through two vertices, as the inner loop of a
// product does.
#define SIDE 6
#define CELLS (SIDE * SIDE)

/// Makes the compiler forget what it knows of a register, which costs no instruction: sums are then not kept from round to round.
#define FORGET(value) asm volatile("" : "+r"(value))

/// The operands of a round and the tile.
struct Registers {
    int to[2][SIDE], from[2][SIDE], known[CELLS];
};

static __device__ __forceinline__ void begin(Registers &r, int step) {
#pragma unroll
    for (int i = 0; i < SIDE; ++i) {
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            // No two alike: the assembler would do their sums once.
            r.to[k][i] = threadIdx.x + step * (i + 50 * k);
            r.from[k][i] = threadIdx.x * 2 + step * (i + 70 * k);
        }
    }
#pragma unroll
    for (int cell = 0; cell < CELLS; ++cell) {
        r.known[cell] = threadIdx.x + 1000 * step + cell;
    }
}

static __device__ __forceinline__ void forget(Registers &r) {
#pragma unroll
    for (int i = 0; i < SIDE; ++i) {
        FORGET(r.to[0][i]);
        FORGET(r.to[1][i]);
        FORGET(r.from[0][i]);
        FORGET(r.from[1][i]);
    }
}

static __device__ __forceinline__ void end(const Registers &r, int *sink, int never) {
    int sum = 0;
#pragma unroll
    for (int cell = 0; cell < CELLS; ++cell) {
        sum |= r.known[cell];
    }
    if (sum == never) {
        *sink = sum;
    }
}

/// The minimum of three path lengths that are not negative, as the minimum of their bits.
static __device__ __forceinline__ int min3_of_floats(int known, float a, float b) {
    return __vimin3_s32(known, __float_as_int(a), __float_as_int(b));
}

// Each kernel does rounds x 2 x CELLS tasks a thread, those of two 16-bit numbers a register twice as many. sink: as above.
#define REGISTER_KERNEL(name, task)                                       \
    KERNEL void __launch_bounds__(256) name(int *sink, int rounds, int step, int never) { \
        Registers r;                                                      \
        begin(r, step);                                                   \
        for (int round = 0; round < rounds; ++round) {                    \
            forget(r);                                                    \
            _Pragma("unroll") for (int i = 0; i < SIDE; ++i) {            \
                _Pragma("unroll") for (int j = 0; j < SIDE; ++j) {        \
                    const int a = r.to[0][i], b = r.from[0][j], c = r.to[1][i], d = r.from[1][j]; \
                    int &known = r.known[i * SIDE + j];                   \
                    known = task;                                         \
                }                                                         \
            }                                                             \
        }                                                                 \
        end(r, sink, never);                                              \
    }

#define F(bits) __int_as_float(bits)
// `step` is 1, which the compiler does not know: a product and a sum are one instruction of the pipe that minima do not use.
#define I32_MIN3 __vimin3_s32(known, a * step + b, c * step + d)
#define I32_ADD_MIN __viaddmin_s32(c, d, __viaddmin_s32(a, b, known))
#define U16_MIN3 (int)__vimin3_u16x2(known, a * step + b, c * step + d)
#define U16_ADD_MIN (int)__viaddmin_u16x2(c, d, __viaddmin_u16x2(a, b, known))

REGISTER_KERNEL(f32_min3_registers, min3_of_floats(known, F(a) + F(b), F(c) + F(d)))
REGISTER_KERNEL(i32_min3_registers, I32_MIN3)
REGISTER_KERNEL(i32_add_min_registers, I32_ADD_MIN)
REGISTER_KERNEL(i32_mixed_registers, j % 3 == 2 ? I32_ADD_MIN : I32_MIN3)
REGISTER_KERNEL(u16_add_min_registers, U16_ADD_MIN)
// Sums of two halves do not carry: no length reaches 2^15.
REGISTER_KERNEL(u16_mixed_registers, j % 3 == 2 ? U16_ADD_MIN : U16_MIN3)

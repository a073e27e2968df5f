// === assert
// An assertion that holds is no more than its condition; assert needs no header.
// launch: grid=2 block=64
// kernel: assert_kernel

extern "C" __global__ void assert_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = in[i] % 1000;
    assert(value < 1000);
    assert(i < gridDim.x * blockDim.x && "a thread outside the grid");
    out[i] = value;
}

// === blockDim_z
// Blocks and threads in three dimensions.
// launch: grid=2x2x2 block=4x4x4

extern "C" __global__ void blockDim_z(const unsigned *in, unsigned *out) {
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[block * 64 + thread] = in[thread] + blockDim.z * 3 + gridDim.z * 5 + blockIdx.z * threadIdx.z;
}

// === class_member
// Classes with private members, constructors and const functions.
// launch: grid=2 block=64

class class_member_interval {
    int low, high;

  public:
    __device__ class_member_interval(int from, int to) : low(from < to ? from : to), high(from < to ? to : from) {}
    __device__ long long length() const { return (long long)high - low; }
    __device__ class_member_interval &widen(int by) {
        low -= by;
        return *this;
    }
    static __device__ int twice(int value) { return 2 * value; }
};

extern "C" __global__ void class_member(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    class_member_interval interval((int)in[i] >> 2, (int)in[i + 1] >> 2);
    out[i] = (unsigned)interval.widen(5).widen(class_member_interval::twice(3)).length();
}

// === const_init
// Constant memory with values given where it is declared.
// launch: grid=2 block=64

__constant__ unsigned const_init_primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ float const_init_half = 0.5f;

extern "C" __global__ void const_init(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = const_init_primes[in[i] % 8] * 10 + (unsigned)((float)(in[i] & 62) * const_init_half);
}

// === const_uninit
// Constant memory without values is zero.
// launch: grid=2 block=64

__constant__ unsigned const_uninit_values[16];
__constant__ float4 const_uninit_four;

extern "C" __global__ void const_uninit(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + const_uninit_values[in[i] % 16] + (unsigned)const_uninit_four.z;
}

// === constexpr
// Functions and variables that the compiler evaluates.
// launch: grid=2 block=64
// kernel: constexpr_kernel

__device__ constexpr unsigned constexpr_power(unsigned base, unsigned exponent) { return exponent ? base * constexpr_power(base, exponent - 1) : 1; }
__device__ constexpr unsigned constexpr_table[4] = {1, constexpr_power(3, 4), constexpr_power(7, 3), 9};

extern "C" __global__ void constexpr_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    constexpr unsigned size = constexpr_power(2, 6);
    __shared__ unsigned values[size];
    values[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = values[(threadIdx.x * 5) % size] + constexpr_table[in[i] % 4];
}

// === cuda_arch
// Code chosen by the architecture it is compiled for.
// launch: grid=2 block=64

extern "C" __global__ void cuda_arch(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    out[i] = in[i] + __CUDA_ARCH__;
#elif defined(__CUDA_ARCH__)
    out[i] = in[i] + 1;
#else
    out[i] = 0;
#endif
}

// === cuda_arch_only
// A function whose body exists for device code alone.
// launch: grid=2 block=64

__host__ __device__ unsigned cuda_arch_only_place() {
#ifdef __CUDA_ARCH__
    return threadIdx.x;
#else
    return 12345;
#endif
}

extern "C" __global__ void cuda_arch_only(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + cuda_arch_only_place();
}

// === cudacc
// Macros by which code knows that CUDA's compiler reads it.
// launch: grid=2 block=64

extern "C" __global__ void cudacc(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__CUDACC__) && defined(__CUDACC_RTC__) && __CUDACC_VER_MAJOR__ >= 11
    out[i] = in[i] + 1;
#else
    out[i] = 0;
#endif
}

// === default_args
// Functions with values for what a caller leaves out.
// launch: grid=2 block=64

__device__ unsigned default_args_mix(unsigned value, unsigned factor = 7, unsigned shift = blockDim.x / 32) {
    return value * factor >> shift;
}

extern "C" __global__ void default_args(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = default_args_mix(in[i]) ^ default_args_mix(in[i], 3) ^ default_args_mix(in[i], 5, 1);
}

// === device_const
// Constants in device memory.
// launch: grid=2 block=64

__device__ const unsigned device_const_weights[4] = {1, 10, 100, 1000};
static __device__ const float device_const_scale = 2.0f;
const int device_const_shift = 3;

extern "C" __global__ void device_const(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = device_const_weights[in[i] & 3] + (unsigned)((float)(in[i] & 0xff) * device_const_scale) + (in[i] >> device_const_shift);
}

// === device_var
// Variables in device memory that the kernel writes.
// launch: grid=2 block=64

__device__ unsigned device_var_values[128];
__device__ unsigned device_var_start = 5;

extern "C" __global__ void device_var(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    device_var_values[i] = in[i] + device_var_start;
    __syncthreads();
    out[i] = device_var_values[i ^ 1];
}

// === dim3
// Extents of three dimensions, one where none is given.
// launch: grid=2 block=64
// kernel: dim3_kernel

__device__ unsigned dim3_volume(dim3 extent) { return extent.x * extent.y * extent.z; }

extern "C" __global__ void dim3_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    dim3 extent(in[i] & 15, 3);
    dim3 block = blockDim;
    extent.z = threadIdx.x;
    out[i] = dim3_volume(extent) + 1000 * dim3_volume(block) + dim3_volume(4);
}

// === fnptr
// Device functions by pointers that are chosen at run time.
// launch: grid=2 block=64
// kernel: fnptr_kernel

__device__ unsigned fnptr_add(unsigned a, unsigned b) { return a + b; }
__device__ unsigned fnptr_mix(unsigned a, unsigned b) { return a ^ (b << 3); }
__device__ unsigned (*const fnptr_table[2])(unsigned, unsigned) = {fnptr_add, fnptr_mix};

extern "C" __global__ void fnptr_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned (*chosen)(unsigned, unsigned) = in[i] & 1 ? fnptr_add : fnptr_mix;
    out[i] = chosen(in[i], in[i + 1]) + fnptr_table[i % 2](in[i], 5);
}

// === forceinline
// Functions that are always inlined.
// launch: grid=2 block=64

static __device__ __forceinline__ unsigned forceinline_mix(unsigned a) { return a * 2654435761u ^ a >> 7; }
__forceinline__ __device__ unsigned forceinline_twice(unsigned a) { return forceinline_mix(forceinline_mix(a)); }

extern "C" __global__ void forceinline(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = forceinline_twice(in[i]) + forceinline_mix(i);
}

// === goto
// Jumps out of loops and back.
// launch: grid=2 block=64
// kernel: goto_kernel

extern "C" __global__ void goto_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned steps = 0, value = in[i] | 1;
again:
    for (int k = 0; k < 8; ++k) {
        if (value == 1) goto done;
        if (steps > 40) goto done;
        value = value & 1 ? value / 2 + 1 : value / 2;
        ++steps;
    }
    value -= 1;
    if (value != 0) goto again;
done:
    out[i] = steps * 1000 + value;
}

// === grid_constant
// A struct of constants for the whole grid, whose address may be taken.
// launch: grid=2 block=64
// arguments: in out struct:3,5,7

struct grid_constant_factors { unsigned values[3]; };

extern "C" __global__ void grid_constant(const unsigned *in, unsigned *out, const __grid_constant__ grid_constant_factors factors) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned *first = &factors.values[0];
    out[i] = in[i] * first[i % 3] + factors.values[in[i] % 3];
}

// === gridconst
// Constants of the grid of plain types, the word before and after const.
// launch: grid=2 block=64
// arguments: in out int:-5 uint:9

extern "C" __global__ void gridconst(const unsigned *in, unsigned *out, __grid_constant__ const int offset, const __grid_constant__ unsigned factor) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int *place = &offset;
    out[i] = in[i] * factor + (unsigned)*place;
}

// === host_device
// Functions for both sides.
// launch: grid=2 block=64

__host__ __device__ inline unsigned host_device_round_up(unsigned value, unsigned multiple) { return (value + multiple - 1) / multiple * multiple; }
struct host_device_pair {
    unsigned a, b;
    __host__ __device__ unsigned sum() const { return a + b; }
};

extern "C" __global__ void host_device(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    host_device_pair pair = {host_device_round_up(in[i] >> 1, 12), i};
    out[i] = pair.sum();
}

// === if_constexpr
// A branch that the compiler chooses by a type's size.
// launch: grid=2 block=64

template <typename T> __device__ unsigned if_constexpr_bits(T value) {
    if constexpr (sizeof(T) == 8)
        return (unsigned)__double_as_longlong(value);
    else
        return __float_as_uint(value);
}

extern "C" __global__ void if_constexpr(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = if_constexpr_bits((float)in[i]) ^ if_constexpr_bits((double)in[i] / 3.0);
}

// === inline_hint
// Functions that the compiler is asked to inline.
// launch: grid=2 block=64

__device__ __inline_hint__ unsigned inline_hint_mix(unsigned a) { return a * 5 + (a >> 9); }
__device__ inline unsigned inline_hint_less(unsigned a) { return inline_hint_mix(a) - a; }

extern "C" __global__ void inline_hint(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = inline_hint_less(in[i]);
}

// === lambda
// Unnamed functions that capture by reference and by value.
// launch: grid=2 block=64
// kernel: lambda_kernel

extern "C" __global__ void lambda_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0, factor = in[i] & 7;
    auto add = [&](unsigned value) { sum += value * factor; };
    auto shifted = [factor](unsigned value) { return value >> factor; };
    for (unsigned k = 0; k < 4; ++k) add(in[i + k]);
    out[i] = sum + shifted(in[i]);
}

// === lambda_device
// An unnamed function made in a device function and given to a template.
// launch: grid=2 block=64

template <typename Function> __device__ unsigned lambda_device_apply(Function function, unsigned count) {
    unsigned result = 0;
    for (unsigned k = 0; k < count; ++k) result ^= function(k);
    return result;
}
__device__ unsigned lambda_device_mix(const unsigned *in, unsigned count) {
    unsigned calls = 0;
    auto mix = [=, &calls](unsigned k) mutable { return in[k] * (k + ++calls) + threadIdx.x; };
    unsigned result = lambda_device_apply(mix, count);
    return result + calls;
}

extern "C" __global__ void lambda_device(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = lambda_device_mix(in + i, 5) + []() { return 3u; }();
}

// === launch_bounds
// The greatest size of a block, after the return type.
// launch: grid=2 block=64
// kernel: launch_bounds_kernel

extern "C" __global__ void __launch_bounds__(64, 4) launch_bounds_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] / 3 + blockDim.x;
}

// === launch_bounds_pre
// The greatest size of a block, before __global__ and before the return type.
// launch: grid=2 block=64

extern "C" __launch_bounds__(64) __global__ void launch_bounds_pre(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] / 5 + blockDim.x;
}

extern "C" __global__ __launch_bounds__(32 * 2, 1) void launch_bounds_pre_other(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] / 7;
}

// === malloc
// Memory from the device's heap.
// launch: grid=2 block=64
// kernel: malloc_kernel

extern "C" __global__ void malloc_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *values = (unsigned *)malloc(4 * sizeof(unsigned));
    if (values == nullptr) return;
    for (unsigned k = 0; k < 4; ++k) values[k] = in[i + k];
    out[i] = values[in[i] % 4] + ((unsigned long long)values % 16 == 0);
    free(values);
}

// === managed
// A variable that host and device share.
// launch: grid=2 block=64
// kernel: managed_kernel

__managed__ unsigned managed_values[128];
__managed__ unsigned managed_factor = 3;

extern "C" __global__ void managed_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    managed_values[i] = in[i] * managed_factor;
    __syncthreads();
    out[i] = managed_values[i ^ 7];
}

// === maxnreg
// The greatest number of registers of a thread.
// launch: grid=2 block=64

extern "C" __global__ void __maxnreg__(32) maxnreg(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] ^ in[i + 1] ^ in[i + 2];
}

// === memcpy
// Copies of bytes by memcpy, between a thread's own, shared and global memory.
// launch: grid=2 block=64
// kernel: memcpy_kernel

extern "C" __global__ void memcpy_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned char bytes[64 * 5];
    memcpy(&bytes[5 * threadIdx.x], &in[i], 4);
    bytes[5 * threadIdx.x + 4] = (unsigned char)i;
    __syncthreads();
    float value;
    unsigned word;
    memcpy(&word, &bytes[threadIdx.x * 4 + 1], sizeof word);
    memcpy(&value, &in[i + 2], sizeof value);
    memcpy(&out[i + 1024], &in[3 * i], 4);
    out[i] = word ^ __float_as_uint(value);
}

// === memset
// Bytes set to one value by memset.
// launch: grid=2 block=64
// kernel: memset_kernel

struct memset_record { unsigned a; unsigned short b; unsigned char c[6]; };

extern "C" __global__ void memset_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    memset_record record;
    memset(&record, 0xa5, sizeof record);
    record.c[in[i] % 6] = 1;
    __shared__ unsigned words[64];
    memset(&words[threadIdx.x], (int)(in[i] & 0xff), 4);
    __syncthreads();
    out[i] = record.a + record.b + record.c[3] * 256 + words[63 - threadIdx.x];
}

// === more_mangled_name
// A kernel without extern "C", launched by the name that the compiler gives it.
// launch: grid=2 block=64
// kernel: _Z17more_mangled_namePKjPj

__global__ void more_mangled_name(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] / 3;
}

// === new
// Objects from the device's heap by new and delete.
// launch: grid=2 block=64
// kernel: new_kernel

struct new_pair {
    unsigned a, b;
    __device__ new_pair(unsigned first, unsigned second) : a(first), b(second) {}
    __device__ unsigned sum() const { return a + 3 * b; }
};

extern "C" __global__ void new_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    new_pair *pair = new new_pair(in[i], in[i + 1]);
    unsigned *values = new unsigned[3];
    for (int k = 0; k < 3; ++k) values[k] = in[i] >> k;
    out[i] = pair->sum() ^ values[in[i] % 3];
    delete[] values;
    delete pair;
}

// === noinline_bar
// A barrier in a function that is not inlined.
// launch: grid=2 block=64

__device__ __noinline__ unsigned noinline_bar_exchange(unsigned *values, unsigned value, unsigned distance) {
    values[threadIdx.x] = value;
    __syncthreads();
    unsigned other = values[(threadIdx.x + distance) % blockDim.x];
    __syncthreads();
    return other;
}

extern "C" __global__ void noinline_bar(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    unsigned value = in[i];
    for (unsigned distance = 1; distance < 64; distance *= 2) value += noinline_bar_exchange(values, value, distance);
    out[i] = value;
}

// === printf
// Text from a kernel, by a function that needs no header.
// launch: grid=2 block=64
// kernel: printf_kernel

extern "C" __global__ void printf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2) printf("%u %d %s %.2f %llx\n", i, -5, "words", 2.5, 1ull << 40);
    out[i] = in[i] + 1;
}

// === recursion
// Functions that call themselves.
// launch: grid=2 block=64

__device__ unsigned recursion_divisor(unsigned a, unsigned b) { return b == 0 ? a : recursion_divisor(b, a % b); }
__device__ unsigned recursion_count(unsigned depth, unsigned value) {
    if (depth == 0) return value & 1;
    return recursion_count(depth - 1, value >> 1) + recursion_count(depth - 1, value * 3);
}

extern "C" __global__ void recursion(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = recursion_divisor(in[i], in[i + 1]) + recursion_count(5, in[i]);
}

// === restrict
// Pointers that are promised not to overlap.
// launch: grid=2 block=64
// kernel: restrict_kernel

__device__ unsigned restrict_sum(const unsigned *__restrict a, const unsigned *__restrict__ b) { return a[0] + b[0] * 3; }

extern "C" __global__ void restrict_kernel(const unsigned *__restrict__ in, unsigned *__restrict out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = restrict_sum(in + i, in + 2 * i);
}

// === size_t_arg
// A size of 64 bits as an argument.
// launch: grid=2 block=64
// arguments: in out size:4294967299

extern "C" __global__ void size_t_arg(const unsigned *in, unsigned *out, size_t size) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    out[i] = in[i] + (unsigned)(size >> 32) * 1000 + (unsigned)(size % 7);
}

// === static_assert
// Facts that the compiler proves.
// launch: grid=2 block=64
// kernel: static_assert_kernel

static_assert(sizeof(void *) == 8 && sizeof(long) == 8, "pointers of 64 bits");
template <int SIZE> __device__ unsigned static_assert_least(unsigned value) {
    static_assert(SIZE % 2 == 0);
    return value % SIZE;
}

extern "C" __global__ void static_assert_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && alignof(float2) == 8, "aligned vectors");
    static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "vectors without padding");
    out[i] = static_assert_least<10>(in[i]);
}

// === static_constexpr
// Constants of a class and of a function.
// launch: grid=2 block=64

struct static_constexpr_sizes {
    static constexpr unsigned rows = 8, columns = 64 / rows;
    static constexpr float scale = 0.5f;
    enum { CELLS = rows * columns };
};

extern "C" __global__ void static_constexpr(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    static constexpr unsigned shift = 3;
    __shared__ unsigned tile[static_constexpr_sizes::rows][static_constexpr_sizes::columns];
    tile[threadIdx.x / static_constexpr_sizes::columns][threadIdx.x % static_constexpr_sizes::columns] = in[i];
    __syncthreads();
    unsigned other = tile[threadIdx.x % static_constexpr_sizes::rows][threadIdx.x / static_constexpr_sizes::rows];
    out[i] = other + (in[i] >> shift) % static_constexpr_sizes::CELLS + (unsigned)(8.0f * static_constexpr_sizes::scale);
}

// === static_global
// Variables and functions that belong to one file.
// launch: grid=2 block=64

static __device__ unsigned static_global_values[128];
static __constant__ unsigned static_global_factor = 3;
static __device__ unsigned static_global_read(unsigned place) { return static_global_values[place] * static_global_factor; }

extern "C" __global__ void static_global(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    static_global_values[i] = in[i];
    __syncthreads();
    out[i] = static_global_read(i ^ 3);
}

// === struct_arg
// A struct as an argument, of which the kernel changes its own copy.
// launch: grid=2 block=64
// arguments: in out struct:11,4294967295,1056964608

struct struct_arg_values {
    unsigned factor;
    int offset;
    float scale;
};

extern "C" __global__ void struct_arg(const unsigned *in, unsigned *out, struct_arg_values values) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    values.offset += (int)(in[i] & 3);
    out[i] = in[i] * values.factor + (unsigned)values.offset + (unsigned)((float)(in[i] & 0xfe) * values.scale);
}

// === template_global
// Kernels that are templates, beside one that is launched by its plain name.
// launch: grid=2 block=64

template <typename T> __device__ T template_global_mix(T a, T b) { return a * 3 + b; }
template <typename T> __global__ void template_global_of(const T *in, T *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = template_global_mix<T>(in[i], in[i + 1]);
}
template __global__ void template_global_of<int>(const int *in, int *out);
template __global__ void template_global_of<float>(const float *in, float *out);

extern "C" __global__ void template_global(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = template_global_mix(in[i], in[i + 1]) + (unsigned)template_global_mix<float>((float)(in[i] & 0xff), 1.0f);
}

// === template_kernel
// A kernel that is a template, launched by the name that the compiler gives its instance.
// launch: grid=2 block=64
// kernel: _Z15template_kernelIjLi3EEvPKT_PS0_

template <typename T, int FACTOR> __global__ void template_kernel(const T *in, T *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * FACTOR + sizeof(T);
}
template __global__ void template_kernel<unsigned, 3>(const unsigned *in, unsigned *out);

// === trap
// A trap that no thread reaches.
// launch: grid=2 block=64
// kernel: trap_kernel

extern "C" __global__ void trap_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = in[i] % 10;
    if (value > 9) __trap();
    if (value == 77) asm volatile("trap;");
    out[i] = value;
}

// === two_dim
// Blocks of two dimensions that turn a tile around.
// launch: grid=2x2 block=8x8

extern "C" __global__ void two_dim(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[8][8 + 1];
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * 16 + x];
    __syncthreads();
    unsigned row = blockIdx.x * 8 + threadIdx.y, column = blockIdx.y * 8 + threadIdx.x;
    out[row * 16 + column] = tile[threadIdx.x][threadIdx.y];
}

// === unreachable
// A place that the compiler may take for never reached.
// launch: grid=2 block=64
// kernel: unreachable_kernel

__device__ unsigned unreachable_pick(unsigned value) {
    switch (value & 3) {
    case 0: return value;
    case 1: return value * 2;
    case 2: return value >> 2;
    case 3: return ~value;
    }
    __builtin_unreachable();
}

extern "C" __global__ void unreachable_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = unreachable_pick(in[i]);
}

// === unroll
// Loops that the compiler unrolls, wholly, by a number and not at all.
// launch: grid=2 block=64

extern "C" __global__ void unroll(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += in[i + k];
#pragma unroll 2
    for (unsigned k = 0; k < in[i] % 9; ++k) sum ^= in[i + k];
    constexpr int times = 3;
#pragma unroll times
    for (int k = 0; k < 6; ++k) sum = sum * 3 + k;
#pragma unroll 1
    for (int k = 0; k < 3; ++k) sum -= in[k];
    out[i] = sum;
}

// === unroll_macro
// A pragma from a macro.
// launch: grid=2 block=64

#define unroll_macro_UNROLL _Pragma("unroll")
#define unroll_macro_TEXT(words) #words
#define unroll_macro_BY(times) _Pragma(unroll_macro_TEXT(unroll times))
extern "C" __global__ void unroll_macro(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    unroll_macro_UNROLL
    for (int k = 0; k < 4; ++k) sum += in[i + k];
    unroll_macro_BY(2)
    for (int k = 0; k < 5; ++k) sum = sum * 3 + in[i + k];
    out[i] = sum;
}

#undef unroll_macro_UNROLL
#undef unroll_macro_TEXT
#undef unroll_macro_BY

// === virtual
// Functions chosen by the type of an object at run time.
// launch: grid=2 block=64
// kernel: virtual_kernel

struct virtual_shape {
    unsigned a;
    __device__ virtual_shape(unsigned value) : a(value) {}
    __device__ virtual unsigned size() const { return a; }
    __device__ virtual ~virtual_shape() {}
};
struct virtual_square : virtual_shape {
    __device__ virtual_square(unsigned value) : virtual_shape(value) {}
    __device__ unsigned size() const override { return a * a; }
};

extern "C" __global__ void virtual_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    virtual_shape plain(in[i] >> 2);
    virtual_square square(in[i] & 0xfff);
    const virtual_shape *chosen = in[i] & 1 ? &plain : static_cast<const virtual_shape *>(&square);
    out[i] = chosen->size();
}

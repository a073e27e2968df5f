// === dynamic_macro
// Dynamic shared memory declared by a macro.
// launch: grid=2 block=64 dynamic=512

#define dynamic_macro_SHARED(type, name) extern __shared__ type name[]
extern "C" __global__ void dynamic_macro(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    dynamic_macro_SHARED(float2, dynamic_macro_pairs);
    dynamic_macro_pairs[threadIdx.x] = make_float2((float)(in[i] & 0xffff), (float)threadIdx.x);
    __syncthreads();
    float2 other = dynamic_macro_pairs[threadIdx.x ^ 5];
    out[i] = (unsigned)other.x * 64 + (unsigned)other.y;
}

#undef dynamic_macro_SHARED

// === extern_shared
// Shared memory whose size the launch gives.
// launch: grid=2 block=64 dynamic=768

extern __shared__ unsigned extern_shared_words[];

extern "C" __global__ void extern_shared(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *first = extern_shared_words;
    float *second = (float *)(extern_shared_words + blockDim.x);
    unsigned short *third = (unsigned short *)(second + blockDim.x);
    first[threadIdx.x] = in[i];
    second[threadIdx.x] = (float)(in[i] & 0xff);
    third[threadIdx.x] = (unsigned short)in[i];
    __syncthreads();
    unsigned other = 63 - threadIdx.x;
    out[i] = first[other] + (unsigned)second[other] + third[other];
}

// === isshared
// Which memory an address is of.
// launch: grid=2 block=64
// kernel: isshared_kernel

__device__ unsigned isshared_global = 4;

extern "C" __global__ void isshared_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[i];
    unsigned own[4] = {in[i], 1, 2, 3};
    __syncthreads();
    const unsigned *place = i % 3 == 0 ? &values[threadIdx.x] : i % 3 == 1 ? &own[in[i] % 4] : &in[i];
    out[i] = *place + __isShared(place) + 2 * __isGlobal(place) + 4 * __isLocal(place) + 8 * __isGlobal(&isshared_global);
}

// === more_dynamic_100k
// More shared memory than 48 KB, which the launch must ask for.
// launch: grid=2 block=64 dynamic=102400

extern __shared__ __align__(16) unsigned char more_dynamic_100k_bytes[];

extern "C" __global__ void more_dynamic_100k(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *words = reinterpret_cast<unsigned *>(more_dynamic_100k_bytes), size;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    for (unsigned k = threadIdx.x; k < size / 4; k += blockDim.x) words[k] = in[k % 4096] + k;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 100; ++k) sum = sum * 3 + words[(threadIdx.x * 397 + k * 255 + blockIdx.x) % 25600];
    out[i] = sum + size;
}

// === more_swizzle_128
// Rows of 128 bytes whose pieces of 16 bytes change places with the row.
// launch: grid=2 block=64

extern "C" __global__ void more_swizzle_128(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(1024) unsigned char tile[16 * 128];
    for (unsigned piece = threadIdx.x; piece < 128; piece += 64) {
        unsigned offset = piece * 16, mixed = offset ^ ((offset & 0x380) >> 3);
        *reinterpret_cast<uint4 *>(tile + mixed) = reinterpret_cast<const uint4 *>(in)[piece + 128 * blockIdx.x];
    }
    __syncthreads();
    unsigned sum = 0;
    for (unsigned row = 0; row < 16; ++row) {
        unsigned offset = row * 128 + threadIdx.x % 8 * 16 + threadIdx.x / 8 % 4 * 4;
        sum = sum * 3 + *reinterpret_cast<unsigned *>(tile + (offset ^ ((offset & 0x380) >> 3)));
    }
    out[i] = sum;
}

// === shared_bool
// Flags in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void shared_bool(const unsigned *in, unsigned *out) {
    __shared__ bool flags[64];
    __shared__ bool any;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) any = false;
    flags[threadIdx.x] = in[i] & 16;
    __syncthreads();
    if (threadIdx.x == 7 && flags[3]) any = true;
    __syncthreads();
    out[i] = flags[63 - threadIdx.x] + 2 * any + 4 * sizeof(flags);
}

// === shared_class_ctor
// Objects in shared memory of a class whose constructor does nothing.
// launch: grid=2 block=64

class shared_class_ctor_cell {
    unsigned value, count;

  public:
    __device__ shared_class_ctor_cell() {}
    __device__ void set(unsigned to) { value = to, count = 1; }
    __device__ unsigned get() const { return value * 2 + count; }
};

extern "C" __global__ void shared_class_ctor(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ shared_class_ctor_cell cells[64];
    cells[threadIdx.x].set(in[i]);
    __syncthreads();
    out[i] = cells[threadIdx.x ^ 33].get();
}

// === shared_file_scope
// Shared memory declared outside every function.
// launch: grid=2 block=64

__shared__ unsigned shared_file_scope_values[64];
static __shared__ float shared_file_scope_floats[2][32];
__device__ unsigned shared_file_scope_read(unsigned place) { return shared_file_scope_values[place] + (unsigned)shared_file_scope_floats[place / 32][place % 32]; }

extern "C" __global__ void shared_file_scope(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    shared_file_scope_values[threadIdx.x] = in[i];
    shared_file_scope_floats[threadIdx.x % 2][threadIdx.x / 2] = (float)(in[i] & 0xffff);
    __syncthreads();
    out[i] = shared_file_scope_read(63 - threadIdx.x);
}

// === shared_float2
// Vectors of two floats in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void shared_float2(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float2 pairs[64];
    pairs[threadIdx.x] = make_float2((float)(in[i] & 0xff), (float)(in[i] >> 24));
    __syncthreads();
    float2 other = pairs[(threadIdx.x + 17) % 64];
    out[i] = (unsigned)(other.x * 256.0f) + (unsigned)other.y;
}

// === shared_float4
// Vectors of four floats in shared memory, whole and by member.
// launch: grid=2 block=64

extern "C" __global__ void shared_float4(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float4 fours[64];
    fours[threadIdx.x] = make_float4((float)(in[i] & 0xff), 1.0f, (float)(in[i] >> 24), 4.0f);
    __syncthreads();
    float4 other = fours[63 - threadIdx.x];
    __syncthreads();
    fours[threadIdx.x].y = other.z;
    __syncthreads();
    out[i] = (unsigned)(other.x + fours[(threadIdx.x + 1) % 64].y) + 1024 * (unsigned)(fours[threadIdx.x ^ 1].z + other.w);
}

// === shared_float4_2d
// A two-dimensional array of vectors in shared memory, a column of padding included.
// launch: grid=2 block=64

extern "C" __global__ void shared_float4_2d(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float4 tile[8][9];
    unsigned row = threadIdx.x / 8, column = threadIdx.x % 8;
    tile[row][column] = make_float4((float)(in[i] & 0xfff), (float)row, (float)column, 0.0f);
    __syncthreads();
    float4 other = tile[column][row];
    out[i] = (unsigned)other.x * 100 + (unsigned)(other.y * 10.0f) + (unsigned)other.z;
}

// === shared_float4_from_global
// Vectors from global to shared memory in one statement.
// launch: grid=2 block=64

extern "C" __global__ void shared_float4_from_global(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float4 fours[64];
    fours[threadIdx.x] = ((const float4 *)in)[i];
    __syncthreads();
    float4 other = fours[threadIdx.x ^ 21];
    ((float4 *)out)[i] = make_float4(other.y, other.x, other.w, other.z);
}

// === shared_float4_single
// One vector in shared memory, written by one thread.
// launch: grid=2 block=64

extern "C" __global__ void shared_float4_single(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float4 four;
    if (threadIdx.x == 5) four = make_float4((float)(in[i] & 0xffff), 2.0f, 3.0f, (float)blockIdx.x);
    __syncthreads();
    out[i] = (unsigned)(four.x + four.y) * 16 + (unsigned)(four.z + four.w);
}

// === shared_in_device_fn
// Shared memory declared in a device function: one for a block, whoever calls.
// launch: grid=2 block=64

__device__ unsigned shared_in_device_fn_turn(unsigned value, unsigned by) {
    __shared__ unsigned values[64];
    __syncthreads();
    values[threadIdx.x] = value;
    __syncthreads();
    return values[(threadIdx.x + by) % 64];
}

extern "C" __global__ void shared_in_device_fn(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = shared_in_device_fn_turn(in[i], 5) * 3 + shared_in_device_fn_turn(in[i] >> 1, 40);
}

// === shared_int4
// Vectors of four integers in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void shared_int4(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int4 fours[2][32];
    fours[threadIdx.x / 32][threadIdx.x % 32] = make_int4((int)in[i], -1, (int)i, (int)in[i] >> 8);
    __syncthreads();
    int4 other = fours[1 - threadIdx.x / 32][threadIdx.x % 32 ^ 3];
    out[i] = (unsigned)(other.x ^ other.z) + (unsigned)other.w * (unsigned)other.y;
}

// === shared_ptr_array
// Addresses in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void shared_ptr_array(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ const unsigned *places[64];
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[i] ^ 5;
    places[63 - threadIdx.x] = threadIdx.x % 2 ? &values[threadIdx.x] : &in[i];
    __syncthreads();
    out[i] = *places[threadIdx.x] + *places[threadIdx.x ^ 6];
}

// === shared_struct
// Structs with arrays in shared memory.
// launch: grid=2 block=64

struct shared_struct_buffers {
    unsigned words[64];
    unsigned char bytes[64];
    double wide[32];
};

extern "C" __global__ void shared_struct(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ shared_struct_buffers buffers;
    buffers.words[threadIdx.x] = in[i];
    buffers.bytes[threadIdx.x] = (unsigned char)(in[i] >> 3);
    if (threadIdx.x < 32) buffers.wide[threadIdx.x] = (double)in[i] * 0.5;
    __syncthreads();
    unsigned other = 63 - threadIdx.x;
    out[i] = buffers.words[other] + buffers.bytes[other] + (unsigned)(buffers.wide[other / 2] * 2.0) + sizeof(buffers);
}

// === shared_struct_f4
// Structs in shared memory that contain vectors.
// launch: grid=2 block=64

struct shared_struct_f4_pair {
    float4 a;
    int2 b;
};

extern "C" __global__ void shared_struct_f4(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ shared_struct_f4_pair pairs[64];
    pairs[threadIdx.x].a = make_float4(1.0f, (float)(in[i] & 0xfff), 3.0f, 4.0f);
    pairs[threadIdx.x].b = make_int2((int)in[i], (int)threadIdx.x);
    __syncthreads();
    const shared_struct_f4_pair other = pairs[threadIdx.x ^ 40];
    out[i] = (unsigned)other.a.y + (unsigned)other.b.x + (unsigned)other.b.y + sizeof(shared_struct_f4_pair);
}

// === shared_template_T
// Shared memory in a template: each type has its own.
// launch: grid=2 block=64

template <typename T, int SIZE> __device__ T shared_template_T_turn(T value) {
    __shared__ T values[SIZE];
    values[threadIdx.x] = value;
    __syncthreads();
    return values[SIZE - 1 - threadIdx.x];
}

extern "C" __global__ void shared_template_T(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = shared_template_T_turn<unsigned, 64>(in[i]);
    double wide = shared_template_T_turn<double, 64>((double)(in[i] >> 1));
    float4 four = shared_template_T_turn<float4, 64>(make_float4((float)(in[i] & 0xff), 0.0f, 0.0f, 1.0f));
    out[i] = word + (unsigned)wide + (unsigned)(four.x + four.w);
}

// === shared_two_decl
// Two arrays in one declaration, one statement with two shapes.
// launch: grid=2 block=64

extern "C" __global__ void shared_two_decl(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float a[64], b[2][32];
    __shared__ unsigned one, *place;
    a[threadIdx.x] = (float)(in[i] & 0xffff);
    b[threadIdx.x / 32][threadIdx.x % 32] = (float)(in[i] >> 16);
    if (threadIdx.x == 1) one = in[i], place = &one;
    __syncthreads();
    out[i] = (unsigned)a[63 - threadIdx.x] + ((unsigned)b[threadIdx.x % 2][threadIdx.x / 2] << 8) + *place;
}

// === shared_union
// One piece of shared memory, used as floats and then as words.
// launch: grid=2 block=64

union shared_union_buffer {
    float floats[64];
    unsigned words[64];
    unsigned short halves[128];
};

extern "C" __global__ void shared_union(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ shared_union_buffer buffer;
    buffer.floats[threadIdx.x] = (float)(in[i] & 0xffff);
    __syncthreads();
    float value = buffer.floats[threadIdx.x ^ 1];
    __syncthreads();
    buffer.halves[threadIdx.x] = (unsigned short)in[i];
    buffer.halves[threadIdx.x + 64] = (unsigned short)value;
    __syncthreads();
    out[i] = buffer.halves[127 - threadIdx.x] * 65536u + (unsigned)value + sizeof(buffer);
}

// === shared_vec_reinterp
// A shared array of floats, written in fours and read in twos.
// launch: grid=2 block=64

extern "C" __global__ void shared_vec_reinterp(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float values[256] __attribute__((aligned(16)));
    reinterpret_cast<float4 *>(values)[threadIdx.x] = make_float4((float)(in[i] & 0xff), 1.0f, (float)(in[i] >> 24), 2.0f);
    __syncthreads();
    float2 pair = *(const float2 *)&values[2 * (127 - threadIdx.x)];
    float2 next = reinterpret_cast<float2 *>(values)[threadIdx.x];
    out[i] = (unsigned)(pair.x * 512.0f) + (unsigned)(pair.y * 8.0f) + (unsigned)(next.x + next.y);
}

// === swizzle
// Rows of shared memory whose columns are mixed, so that a column is read without conflicts of banks.
// launch: grid=2 block=64

__device__ unsigned swizzle_place(unsigned row, unsigned column) { return row * 8 + (column ^ row); }

extern "C" __global__ void swizzle(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned tile[64];
    unsigned row = threadIdx.x / 8, column = threadIdx.x % 8;
    tile[swizzle_place(row, column)] = in[i];
    __syncthreads();
    out[i] = tile[swizzle_place(column, row)];
}

// === volatile_shared
// A tree of sums in volatile shared memory, with a barrier of the warp a step.
// launch: grid=2 block=64

extern "C" __global__ void volatile_shared(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ volatile unsigned sums[64];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 * 32;
    sums[threadIdx.x] = in[i];
    __syncwarp();
    for (unsigned step = 16; step > 0; step /= 2) {
        unsigned other = lane < step ? sums[warp + lane + step] : 0;
        __syncwarp();
        sums[threadIdx.x] = sums[threadIdx.x] + other;
        __syncwarp();
    }
    out[i] = sums[warp];
}

// === shared_one_name
// Variables of one name and several types in several functions, also of a class with a constructor.
// launch: grid=2 block=64

struct shared_one_name_sum { unsigned total; __device__ shared_one_name_sum() {} };
struct shared_one_name_pair { unsigned low, high; __device__ shared_one_name_pair() {} };
__device__ unsigned shared_one_name_first(unsigned value) {
    __shared__ shared_one_name_sum kept, *place;
    if (threadIdx.x == 0) { kept.total = value; place = &kept; }
    __syncthreads();
    return place->total;
}
__device__ unsigned shared_one_name_second(unsigned value) {
    __shared__ shared_one_name_pair kept[64], *place;
    kept[threadIdx.x].high = value;
    if (threadIdx.x == 0) place = kept;
    __syncthreads();
    return place[threadIdx.x ^ 5].high;
}
extern "C" __global__ void shared_one_name(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ shared_one_name_sum kept;
    if (threadIdx.x == 1) kept.total = in[i];
    out[i] = shared_one_name_first(in[i]) ^ shared_one_name_second(in[i] * 3);
    out[i + 1024] = kept.total;
}

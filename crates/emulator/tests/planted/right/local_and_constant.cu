// === constant_table
// A table in constant memory, read up to its last element by lanes that want different ones.
// launch: grid=1 block=64
__constant__ unsigned constant_table_table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
extern "C" __global__ void constant_table(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[threadIdx.x] * constant_table_table[in[threadIdx.x] >> 29];
}

// === device_variables
// Variables of the module: one that all threads change by atomics, one array of which every thread has its own place.
// launch: grid=2 block=64
__device__ unsigned device_variables_places[128];
__device__ unsigned device_variables_largest;
extern "C" __global__ void device_variables(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    device_variables_places[i] = in[i];
    atomicMax(&device_variables_largest, in[i]);
    out[i] = device_variables_places[i] * 3;
}

// === heap_in_kernel
// Each thread has memory of its own from the device's heap, and gives it back.
// launch: grid=1 block=32
extern "C" __global__ void heap_in_kernel(const unsigned *in, unsigned *out) {
    unsigned *values = static_cast<unsigned *>(malloc(10 * sizeof(unsigned)));
    if (!values) return;
    for (int k = 0; k < 10; k++) values[k] = in[threadIdx.x * 10 + k];
    unsigned sum = 0;
    for (int k = 9; k >= 0; k--) sum = sum * 3 + values[k];
    free(values);
    out[threadIdx.x] = sum;
}

// === ldg_beside_writes
// Read-only loads and stores hit neighbouring words of one buffer, never the same one.
// launch: grid=2 block=64
extern "C" __global__ void ldg_beside_writes(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[2 * i + 1] = __ldg(in + i) + __ldg(out + 2 * ((i + 64) % 128));
}

// === ldg_of_earlier_launch
// What an earlier launch wrote may be read through the read-only path by a later one, which does not write there.
// launch: grid=1 block=64 repeat=2
extern "C" __global__ void ldg_of_earlier_launch(const unsigned *in, unsigned *out) {
    const bool second = out[4095] != 0;
    __syncthreads();
    if (second) out[1024 + threadIdx.x] = __ldg(out + 63 - threadIdx.x) * 5;
    else out[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) out[4095] = 1;
}

// === least_of_zeros_and_subnormals
// Of two floats the lesser and the greater, by the order of the table: -0 is less than 0, and what is no number loses.
// launch: grid=1 block=64
__constant__ unsigned least_of_zeros_and_subnormals_table[8] = {0x7fc00000, 0xff800000, 0xc0200000, 0x80000000, 0,
                                                                0x000116c2, 0x40e00000, 0x7f800000};
extern "C" __global__ void least_of_zeros_and_subnormals(const unsigned *in, unsigned *out) {
    const unsigned *table = least_of_zeros_and_subnormals_table, i = threadIdx.x / 8, j = threadIdx.x % 8;
    const float a = __uint_as_float(table[i]), b = __uint_as_float(table[j]);
    const unsigned least = table[i && j ? min(i, j) : i + j], greatest = table[max(i, j)];
    // Which NaN comes of two is left open.
    if (threadIdx.x > 0)
        out[threadIdx.x] = (__float_as_uint(fminf(a, b)) == least) + 2 * (__float_as_uint(fmaxf(a, b)) == greatest)
                         + 4 * (__float_as_uint(min(a, b)) == least) + 8 * (__float_as_uint(max(a, b)) == greatest) + in[0];
}

// === local_array
// A thread's own array, indexed by data up to its last element.
// launch: grid=1 block=64
extern "C" __global__ void local_array(const unsigned *in, unsigned *out) {
    unsigned counts[16];
    for (int k = 0; k < 16; k++) counts[k] = k;
    for (int k = 0; k < 24; k++) counts[in[threadIdx.x * 24 + k] >> 28]++;
    unsigned code = 0;
    for (int k = 0; k < 16; k++) code = code * 5 + counts[k];
    out[threadIdx.x] = code;
}

// === local_array_large
// A hundred kilobytes of local memory a thread, of which only what was written is read.
// launch: grid=1 block=32
extern "C" __global__ void local_array_large(const unsigned *in, unsigned *out) {
    unsigned values[25000];
    for (unsigned k = 0; k < 25000; k += 250) values[(k + in[threadIdx.x]) % 25000] = k * 3;
    unsigned sum = 0;
    for (unsigned k = 0; k < 25000; k += 250) sum = sum * 3 + values[(k + in[threadIdx.x]) % 25000];
    out[threadIdx.x] = sum;
}

// === local_arrays_of_all_kinds
// Local arrays with and without values, of structs, in loops, branches and functions, taken by reference and captured.
// launch: grid=1 block=32
struct local_arrays_of_all_kinds_pair {
    unsigned a, b;
    __device__ local_arrays_of_all_kinds_pair() : a(1), b(2) {
    }
};
template <class T, int N>
__device__ T local_arrays_of_all_kinds_last(const T (&values)[N]) {
    return values[N - 1];
}
template <int N>
__device__ unsigned local_arrays_of_all_kinds_sum(unsigned x) {
    unsigned values[N] = {x};
    float parts[N + 1]{};
    for (int i = 1; i < N; i++) {
        values[i] = values[i - 1] * 3 + sizeof(values);
        parts[i] = i;
    }
    return local_arrays_of_all_kinds_last(values) + (unsigned)local_arrays_of_all_kinds_last(parts);
}
__device__ constexpr unsigned local_arrays_of_all_kinds_constant(unsigned at) {
    const unsigned values[3] = {5, 6, 7};
    unsigned other[2] = {1, 2};
    return values[at % 3] + other[at % 2];
}
extern "C" __global__ void local_arrays_of_all_kinds(const unsigned *in, unsigned *out) {
    unsigned sum = local_arrays_of_all_kinds_sum<4>(in[threadIdx.x]) + local_arrays_of_all_kinds_sum<9>(1);
    for (unsigned round = 0; round < 3; round++) {
        local_arrays_of_all_kinds_pair pairs[3];
        unsigned table[2][5] = {{1, 2}, {3}};
        char word[6] = {'h', 'e', 'l', 'l', 'o'};
        pairs[round].a += table[round % 2][round];
        auto twice = [&pairs](unsigned at) { return pairs[at].a * 2; };
        switch (round) {
        case 0:
            sum += word[4];
            unsigned inside[3];
            inside[0] = 4;
            sum += inside[0];
            break;
        case 1: {
            unsigned again[2] = {round, 2};
            for (unsigned &one : again) {
                sum += one++;
            }
            break;
        }
        default:
            continue;
        }
        sum = sum * 7 + twice(round) + pairs[2].b;
    }
    out[threadIdx.x] = sum + local_arrays_of_all_kinds_constant(threadIdx.x);
}

// === local_pointers
// Pointers walk over local arrays to their ends, one array after the other.
// launch: grid=1 block=32
__device__ unsigned local_pointers_sum(const unsigned *from, const unsigned *end) {
    unsigned sum = 0;
    for (; from != end; from++) {
        sum = sum * 7 + *from;
    }
    return sum;
}
extern "C" __global__ void local_pointers(const unsigned *in, unsigned *out) {
    unsigned own[8], other[3];
    for (unsigned i = 0; i < 8; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    for (unsigned *p = other; p < other + 3; p++) {
        *p = own[p - other] + 1;
    }
    const unsigned *either = threadIdx.x & 1 ? own : other;
    out[threadIdx.x] = local_pointers_sum(own, own + 8) + local_pointers_sum(other, other + 3) + either[threadIdx.x % 3];
}

// === local_struct_and_vector
// A local array read as vectors, and an array at the end of a struct by a pointer to its first word.
// launch: grid=1 block=32
struct local_struct_and_vector_block { unsigned count; unsigned words[7]; };
extern "C" __global__ void local_struct_and_vector(const unsigned *in, unsigned *out) {
    __align__(16) unsigned own[8];
    local_struct_and_vector_block block = {7, {}};
    for (unsigned i = 0; i < 8; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    const uint4 *vectors = reinterpret_cast<const uint4 *>(own);
    const uint4 two = vectors[threadIdx.x % 2];
    unsigned *words = block.words;
    for (unsigned i = 0; i < block.count; i++) {
        words[i] = own[i] ^ two.y;
    }
    const unsigned *whole = reinterpret_cast<const unsigned *>(&block);
    out[threadIdx.x] = whole[7] + two.w + words[threadIdx.x % 7];
}

// === local_walk_by_bytes
// Local arrays, structs, members and unions are copied as bytes, words and vectors, each to its very end.
// launch: grid=1 block=32
struct local_walk_by_bytes_record {
    unsigned short small[3];
    unsigned word;
    unsigned char bytes[5];
};
union local_walk_by_bytes_either {
    unsigned words[3];
    unsigned char bytes[12];
};
__device__ void local_walk_by_bytes_copy(void *to, const void *from, unsigned count) {
    unsigned char *t = (unsigned char *)to;
    for (const unsigned char *f = (const unsigned char *)from, *end = f + count; f != end;)
        *t++ = *f++;
}
extern "C" __global__ void local_walk_by_bytes(const unsigned *in, unsigned *out) {
    local_walk_by_bytes_record records[3];
    for (unsigned i = 0; i < sizeof(records); i++)
        ((unsigned char *)records)[i] = (unsigned char)(in[threadIdx.x] >> i % 25);
    local_walk_by_bytes_record one;
    local_walk_by_bytes_copy(&one, records + in[threadIdx.x] % 3, sizeof(one));
    local_walk_by_bytes_copy(one.bytes, in + threadIdx.x, 4);
    local_walk_by_bytes_either either;
    local_walk_by_bytes_copy(either.bytes, in + threadIdx.x, 12);
    alignas(16) unsigned whole[8];
    for (uint4 *to = (uint4 *)whole; to < (uint4 *)(whole + 8); to++)
        *to = make_uint4(one.word, one.bytes[4], one.small[2], either.words[in[threadIdx.x] % 3]);
    unsigned sum = 0;
    for (const unsigned *at = whole; at - whole < 8; at++)
        sum = sum * 31 + *at;
    unsigned *word = &one.word;
    *word += sum;
    out[threadIdx.x] = one.word + records[in[threadIdx.x] % 3].bytes[in[threadIdx.x] % 5];
}

// === local_walk_in_recursion
// Functions that call themselves or are called through pointers have arrays of their own, get those of their callers, and return from the midst of loops.
// launch: grid=2 block=64
__device__ unsigned local_walk_in_recursion_down(const unsigned *above, unsigned count, unsigned depth) {
    unsigned own[6];
    for (unsigned i = 0; i < count; i++) {
        own[i] = above[i] * 3 + depth;
        if (depth == 0 && own[i] % 7 == 0) return own[i];
    }
    if (depth == 0) return own[count - 1];
    return local_walk_in_recursion_down(own, count, depth - 1) + own[depth % count];
}
__device__ __noinline__ unsigned local_walk_in_recursion_sum(const unsigned *at, const unsigned *end) {
    unsigned copy[4] = {0}, *to = copy;
    for (; at != end; at++) {
        *to += *at;
        if (++to == copy + 4) to = copy;
    }
    return copy[0] + copy[1] * 2 + copy[2] * 3 + copy[3] * 5;
}
extern "C" __global__ void local_walk_in_recursion(const unsigned *in, unsigned *out) {
    unsigned own[6], thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = 0; i < 6; i++)
        own[i] = in[thread + i];
    unsigned (*sum)(const unsigned *, const unsigned *) = local_walk_in_recursion_sum;
    unsigned first = local_walk_in_recursion_down(own, 6 - thread % 3, thread % 5);
    __syncthreads();
    out[thread] = first + sum(own, own + 6) + sum(own + 1, own + 1 + thread % 6);
}

// === local_walk_to_the_end
// Pointers walk along local arrays and stop behind their last element or before their first, which they do not touch.
// launch: grid=1 block=32
extern "C" __global__ void local_walk_to_the_end(const unsigned *in, unsigned *out) {
    unsigned own[8], other[5], sum = 0;
    unsigned *to = own;
    while (to != own + 8)
        *to++ = in[threadIdx.x + (to - own)];
    for (unsigned i = 0; i < 5; i++)
        other[i] = in[i];
    const unsigned *ends[2] = {own + 8, other + 5};
    for (const unsigned *at = own; at < ends[0]; ++at)
        sum = sum * 3 + *at;
    for (const unsigned *at = ends[in[threadIdx.x] & 1 ? 1 : 0], *start = in[threadIdx.x] & 1 ? other : own; at-- > start;)
        sum = sum * 5 + *at;
    out[threadIdx.x] = sum;
}

// === pairs_at_odd_words
// Structs of two words need no alignment beyond a word's: they lie at odd words, and are moved whole.
// launch: grid=1 block=64
struct pairs_at_odd_words_pair { unsigned a, b; };
extern "C" __global__ void pairs_at_odd_words(const unsigned *in, unsigned *out) {
    pairs_at_odd_words_pair *odd = reinterpret_cast<pairs_at_odd_words_pair *>(out + 1);
    odd[threadIdx.x] = reinterpret_cast<const pairs_at_odd_words_pair *>(in + 1)[threadIdx.x];
    __syncthreads();
    const pairs_at_odd_words_pair own = odd[threadIdx.x];
    __syncthreads();
    odd[63 - threadIdx.x] = own;
}

// === table_pointers
// Tables of constants through pointers, to their last elements.
// launch: grid=1 block=32
__device__ const unsigned table_pointers_primes[4] = {2, 3, 5, 7};
__constant__ unsigned table_pointers_squares[3] = {1, 4, 9};
__device__ unsigned table_pointers_at(const unsigned *table, unsigned at) { return table[at]; }
extern "C" __global__ void table_pointers(const unsigned *in, unsigned *out) {
    const unsigned *p = threadIdx.x & 1 ? table_pointers_primes : table_pointers_squares;
    out[threadIdx.x] = p[threadIdx.x % 3] + table_pointers_at(table_pointers_primes, threadIdx.x % 4) + table_pointers_squares[2];
}

// === table_walk_to_the_end
// Pointers walk along tables of constants that lie side by side, each to the end of its own, and backwards to its start.
// launch: grid=1 block=32
__constant__ unsigned table_walk_to_the_end_first[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ unsigned table_walk_to_the_end_second[8] = {8, 7, 6, 5, 4, 3, 2, 1};
__device__ const unsigned char table_walk_to_the_end_bytes[5] = {1, 2, 4, 8, 16};
__device__ unsigned table_walk_to_the_end_changed[3] = {1, 2, 3};
template <class T>
__device__ unsigned table_walk_to_the_end_sum(const T *start, const T *end) {
    unsigned sum = 0;
    for (const T *at = start; at != end; at++)
        sum = sum * 3 + *at;
    while (end-- > start)
        sum = sum * 5 + *end;
    return sum;
}
extern "C" __global__ void table_walk_to_the_end(const unsigned *in, unsigned *out) {
    static const unsigned short inside[3] = {3, 5, 7};
    const unsigned *either = in[threadIdx.x] & 1 ? table_walk_to_the_end_first : table_walk_to_the_end_second;
    if (threadIdx.x < 3) table_walk_to_the_end_changed[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = table_walk_to_the_end_sum(either, either + 8) + table_walk_to_the_end_sum(inside, inside + 3) +
                       table_walk_to_the_end_sum(table_walk_to_the_end_bytes, table_walk_to_the_end_bytes + threadIdx.x % 6) +
                       table_walk_to_the_end_sum(table_walk_to_the_end_changed, table_walk_to_the_end_changed + 3);
}

// === unused_branch
// Both ways of a branch load the same, and neither uses it.
// launch: grid=1 block=32
extern "C" __global__ void unused_branch(const unsigned *in, unsigned *out) {
    unsigned value;
    if (in[threadIdx.x] & 1) {
        value = in[threadIdx.x + 32];
    } else {
        value = in[threadIdx.x + 64];
    }
    value = 3;
    out[threadIdx.x] = value;
}

// === unused_load_ahead
// The next element is loaded ahead in every round, the last time for nothing.
// launch: grid=1 block=32
extern "C" __global__ void unused_load_ahead(const unsigned *in, unsigned *out) {
    unsigned sum = 0, next = in[threadIdx.x];
    for (unsigned i = 1; i <= 8; i++) {
        const unsigned value = next;
        next = in[i * 32 + threadIdx.x];
        sum = sum * 31 + value;
    }
    out[threadIdx.x] = sum;
}

// === unused_load_of_own_word
// Every thread loads what it alone stores, before and behind a barrier, and drops it.
// launch: grid=1 block=64
extern "C" __global__ void unused_load_of_own_word(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    const unsigned before = values[threadIdx.x];
    __syncthreads();
    const unsigned behind = values[threadIdx.x ^ 33];
    out[threadIdx.x] = in[threadIdx.x] + 2;
}

// === unused_loads
// Loads inside the buffer whose values nobody uses, and stores that are overwritten by their own thread.
// launch: grid=2 block=64
extern "C" __global__ void unused_loads(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    values[threadIdx.x] = 1;
    values[threadIdx.x] = in[i];
    __syncthreads();
    const unsigned other = values[63 - threadIdx.x], ahead = in[i + 1];
    out[i] = 5;
    out[i] = values[threadIdx.x];
}

// === value_arguments
// Structs go by value through shared memory, with barriers.
// launch: grid=2 block=64
struct value_arguments_four { unsigned a, b, c, d; };
__device__ value_arguments_four value_arguments_turned(value_arguments_four v) { return {v.d, v.a, v.b, v.c}; }
__device__ unsigned value_arguments_sum(value_arguments_four v) { return v.a + 3 * v.b + 5 * v.c + 7 * v.d; }
extern "C" __global__ void value_arguments(const unsigned *in, unsigned *out) {
    __shared__ value_arguments_four values[64];
    const unsigned i = blockIdx.x * 64 + threadIdx.x, x = in[i];
    values[threadIdx.x] = value_arguments_turned({x, x + 1, x + 2, x + 3});
    __syncthreads();
    out[i] = value_arguments_sum(values[63 - threadIdx.x]);
}

// === value_of_recursion
// A function that calls itself, which no compiler inlines, with a struct of its own.
// launch: grid=1 block=32
struct value_of_recursion_range { unsigned first, count; };
__device__ unsigned value_of_recursion_sum(const unsigned *in, value_of_recursion_range range) {
    if (range.count == 1) {
        return in[range.first];
    }
    const unsigned half = range.count / 2;
    return value_of_recursion_sum(in, {range.first, half}) + 3 * value_of_recursion_sum(in, {range.first + half, range.count - half});
}
extern "C" __global__ void value_of_recursion(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = value_of_recursion_sum(in, {threadIdx.x, 9});
}

// === value_results_in_global_memory
// A function's result fills a global buffer that the next launch reads by value.
// launch: grid=4 block=32 repeat=2
struct value_results_in_global_memory_pair { unsigned a, b; };
__device__ value_results_in_global_memory_pair value_results_in_global_memory_next(value_results_in_global_memory_pair v, unsigned x) {
    return {v.a + x, v.b ^ v.a};
}
extern "C" __global__ void value_results_in_global_memory(const unsigned *in, value_results_in_global_memory_pair *out) {
    const unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = value_results_in_global_memory_next(out[i], in[i]);
}

// === value_with_members
// Arrays in structs by value, a constructor and a reference to what a method returns.
// launch: grid=1 block=64
struct value_with_members_row {
    unsigned words[6];
    __device__ value_with_members_row(unsigned x) {
        for (unsigned i = 0; i < 6; i++) {
            words[i] = x * (i + 1);
        }
    }
    __device__ value_with_members_row plus(value_with_members_row other) const {
        value_with_members_row sum(0);
        for (unsigned i = 0; i < 6; i++) {
            sum.words[i] = words[i] + other.words[5 - i];
        }
        return sum;
    }
};
extern "C" __global__ void value_with_members(const unsigned *in, unsigned *out) {
    const value_with_members_row mine(in[threadIdx.x]);
    const auto &sum = mine.plus(value_with_members_row(in[63 - threadIdx.x]));
    out[threadIdx.x] = sum.words[threadIdx.x % 6];
}

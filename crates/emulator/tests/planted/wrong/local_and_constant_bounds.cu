// === constant_above_end
// Mistake: the table has seven elements and data choose among eight.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 7
__constant__ unsigned constant_above_end_table[7] = {3, 1, 4, 1, 5, 9, 2};
extern "C" __global__ void constant_above_end(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = constant_above_end_table[in[threadIdx.x] >> 29];
}

// === local_array_above_end
// Mistake: a thread's own array has 15 elements and data choose among 16.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 8
extern "C" __global__ void local_array_above_end(const unsigned *in, unsigned *out) {
    unsigned counts[15];
    for (int k = 0; k < 15; k++) counts[k] = k;
    for (int k = 0; k < 32; k++) counts[in[threadIdx.x * 32 + k] >> 28]++;
    unsigned code = 0;
    for (int k = 0; k < 15; k++) code = code * 5 + counts[k];
    out[threadIdx.x] = code;
}

// === local_pointer_above_end
// Mistake: a pointer goes one element past a local array, to read.
// launch: grid=1 block=32
// finds: out-of-bounds
extern "C" __global__ void local_pointer_above_end(const unsigned *in, unsigned *out) {
    unsigned own[8];
    for (unsigned i = 0; i < 8; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    const unsigned *p = own;
    out[threadIdx.x] = p[in[threadIdx.x] % 8 + (threadIdx.x == 5 ? 8 : 0)];
}

// === local_pointer_in_template
// Mistake: a template stores one element too many through the pointer that it gets.
// launch: grid=1 block=32
// finds: out-of-bounds
template <class T, int N>
__device__ void local_pointer_in_template_fill(T *values, T first) {
    for (int i = 0; i <= N; i++) {
        values[i] = first + i;
    }
}
extern "C" __global__ void local_pointer_in_template(const unsigned *in, unsigned *out) {
    double own[3];
    local_pointer_in_template_fill<double, 3>(own, in[threadIdx.x]);
    out[threadIdx.x] = own[threadIdx.x % 3];
}

// === local_pointer_of_either
// Mistake: a pointer to one of two local arrays of the same length goes past it.
// launch: grid=1 block=32
// finds: out-of-bounds
extern "C" __global__ void local_pointer_of_either(const unsigned *in, unsigned *out) {
    unsigned own[4], other[4];
    for (unsigned i = 0; i < 4; i++) {
        own[i] = in[i];
        other[i] = in[i + 4];
    }
    const unsigned *either = in[threadIdx.x] & 1 ? own : other;
    out[threadIdx.x] = either[threadIdx.x % 5];
}

// === local_pointer_write
// Mistake: a function stores past a local array that it gets by its address.
// launch: grid=1 block=32
// finds: out-of-bounds
__device__ void local_pointer_write_fill(unsigned *to, unsigned count, unsigned x) {
    for (unsigned i = 0; i < count; i++) {
        to[i] = x + i;
    }
}
extern "C" __global__ void local_pointer_write(const unsigned *in, unsigned *out) {
    unsigned own[8], other[8];
    local_pointer_write_fill(other, 8, 1);
    local_pointer_write_fill(own, in[0] % 2 + 9, in[threadIdx.x]);
    out[threadIdx.x] = own[threadIdx.x % 8] + other[threadIdx.x % 8];
}

// === local_vector_cast
// Mistake: the last vector of a local array of six words is half behind it.
// launch: grid=1 block=32
// finds: out-of-bounds
extern "C" __global__ void local_vector_cast(const unsigned *in, unsigned *out) {
    __align__(16) unsigned own[6];
    for (unsigned i = 0; i < 6; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    const uint4 *vectors = reinterpret_cast<const uint4 *>(own);
    out[threadIdx.x] = vectors[threadIdx.x % 2].w;
}

// === local_walk_below_read
// Mistake: a pointer that walks backwards does not stop at the array's start where nothing is found.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 11
extern "C" __global__ void local_walk_below_read(const unsigned *in, unsigned *out) {
    unsigned other[6], own[6];
    for (unsigned i = 0; i < 6; i++) {
        other[i] = own[i] = in[i] | 1;
    }
    const unsigned *at = own + 5;
    while ((*at & 1) != 0 && at > own - 4)
        at--;
    out[threadIdx.x] = other[in[threadIdx.x] % 6] + (unsigned)(at - own);
}

// === local_walk_below_write
// Mistake: an insertion into a sorted local array goes on below its start for the smallest number.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 11
extern "C" __global__ void local_walk_below_write(const unsigned *in, unsigned *out) {
    unsigned before[4] = {0, 0, 0, 0}, sorted[5];
    for (unsigned i = 0; i < 4; i++)
        sorted[i] = 10 * i;
    unsigned *to = sorted + 4, number = in[threadIdx.x] & 1 ? 15 : 0;
    for (unsigned left = number == 0 ? 5 : 2; left > 0; left--, to--)
        to[0] = to[-1];
    *to = number;
    out[threadIdx.x] = before[in[threadIdx.x] % 4] + sorted[in[threadIdx.x] % 5];
}

// === local_walk_from_scalar
// Mistake: a function is given the address of one number and the count of an array.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7
__device__ void local_walk_from_scalar_fill(unsigned *to, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        *to++ = i;
}
extern "C" __global__ void local_walk_from_scalar(const unsigned *in, unsigned *out) {
    unsigned one = 0, other = in[threadIdx.x];
    local_walk_from_scalar_fill(&other, 1);
    local_walk_from_scalar_fill(&one, 1 + (in[threadIdx.x] & 1));
    out[threadIdx.x] = one + other;
}

// === local_walk_in_function
// Mistake: a function that is not inlined, since it calls itself, walks behind the array of its caller.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7
__device__ unsigned local_walk_in_function_sum(const unsigned *at, unsigned left) {
    if (left == 0) return 0;
    return *at + local_walk_in_function_sum(at + 1, left - 1);
}
extern "C" __global__ void local_walk_in_function(const unsigned *in, unsigned *out) {
    unsigned own[5];
    for (unsigned i = 0; i < 5; i++)
        own[i] = in[i];
    out[threadIdx.x] = local_walk_in_function_sum(own, 5 + (in[threadIdx.x] & 1));
}

// === local_walk_over_rows
// Mistake: a pointer goes from row to row of a matrix in local memory, and one row too far.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 13
extern "C" __global__ void local_walk_over_rows(const unsigned *in, unsigned *out) {
    unsigned rows[3][4], other[8];
    for (unsigned i = 0; i < 12; i++) {
        rows[i / 4][i % 4] = in[i];
        other[i % 8] = i;
    }
    unsigned sum = 0;
    for (unsigned (*row)[4] = rows; row <= rows + 2 + (in[threadIdx.x] & 1); row++)
        sum += (*row)[threadIdx.x % 4];
    out[threadIdx.x] = sum + other[in[threadIdx.x] % 8];
}

// === local_walk_read
// Mistake: a pointer that walks along a local array reads one element more than it has.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 13
extern "C" __global__ void local_walk_read(const unsigned *in, unsigned *out) {
    unsigned own[8], other[8];
    for (unsigned i = 0; i < 8; i++) {
        own[i] = in[i];
        other[i] = in[i + 8];
    }
    unsigned sum = 0;
    for (const unsigned *at = own, *end = own + 8 + (in[0] & 1); at <= end; at++)
        sum += *at;
    out[threadIdx.x] = sum + other[in[threadIdx.x] % 8];
}

// === local_walk_write
// Mistake: a pointer that walks along a local array writes behind it, into the array next to it.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 9
extern "C" __global__ void local_walk_write(const unsigned *in, unsigned *out) {
    unsigned own[4], other[4] = {1, 2, 3, 4};
    unsigned *to = own;
    for (unsigned left = 4 + (in[threadIdx.x] & 1); left > 0; left--)
        *to++ = left;
    out[threadIdx.x] = own[in[threadIdx.x] % 4] + other[in[threadIdx.x] % 4];
}

// === table_pointer_above_end
// Mistake: a table of constants is exceeded through a pointer.
// launch: grid=1 block=32
// finds: out-of-bounds
__device__ const unsigned table_pointer_above_end_values[4] = {2, 3, 5, 7};
extern "C" __global__ void table_pointer_above_end(const unsigned *in, unsigned *out) {
    const unsigned *p = table_pointer_above_end_values;
    out[threadIdx.x] = p[threadIdx.x % 5];
}

// === table_pointer_in_function
// Mistake: a function gets a constant table and looks behind it.
// launch: grid=1 block=32
// finds: out-of-bounds
__constant__ float table_pointer_in_function_values[3] = {1, 2, 3};
__device__ float table_pointer_in_function_at(const float *table, unsigned at) { return table[at]; }
extern "C" __global__ void table_pointer_in_function(const unsigned *in, float *out) {
    out[threadIdx.x] = table_pointer_in_function_at(table_pointer_in_function_values, threadIdx.x % 4);
}

// === table_walk_below
// Mistake: a search backwards through either of two tables of constants ends in what lies before it.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 10
__device__ const unsigned table_walk_below_first[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ const unsigned table_walk_below_second[8] = {1, 2, 3, 4, 5, 6, 7, 8};
extern "C" __global__ void table_walk_below(const unsigned *in, unsigned *out) {
    const unsigned *at = (threadIdx.x & 1 ? table_walk_below_first : table_walk_below_second) + 7;
    unsigned steps = 0;
    while (*at != 9 && steps++ < 8)
        at--;
    out[threadIdx.x] = steps + in[0];
}

// === table_walk_in_function
// Mistake: a table of constants that a function keeps is read one element too far.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 9
__device__ unsigned table_walk_in_function_sum(unsigned count) {
    static const unsigned short values[6] = {1, 2, 3, 4, 5, 6};
    unsigned sum = 0;
    for (const unsigned short *at = values; at != values + count; at++)
        sum += *at;
    return sum;
}
extern "C" __global__ void table_walk_in_function(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = table_walk_in_function_sum(6 + (in[threadIdx.x] & 1));
}

// === table_walk_into_neighbour
// Mistake: a pointer walks from one table of constants into the next.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 9
__constant__ unsigned table_walk_into_neighbour_first[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ unsigned table_walk_into_neighbour_second[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ unsigned table_walk_into_neighbour_find(const unsigned *at, unsigned end) {
    unsigned steps = 0;
    while (*at++ != end && steps < 8)
        steps++;
    return steps;
}
extern "C" __global__ void table_walk_into_neighbour(const unsigned *in, unsigned *out) {
    unsigned end = 9 + (in[threadIdx.x] & 1);
    out[threadIdx.x] = table_walk_into_neighbour_find(table_walk_into_neighbour_first, end) +
                       table_walk_into_neighbour_find(table_walk_into_neighbour_second, end);
}

// === value_argument_above_end
// Mistake: the last block hands a struct behind the end of the buffer to a function.
// launch: grid=17 block=64
// finds: out-of-bounds
struct value_argument_above_end_four { unsigned a, b, c, d; };
__device__ unsigned value_argument_above_end_sum(value_argument_above_end_four v) { return v.a + v.d; }
extern "C" __global__ void value_argument_above_end(const value_argument_above_end_four *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = value_argument_above_end_sum(in[i]);
}

// === value_result_above_end
// Mistake: the last block stores what a function returns behind the end of the buffer.
// launch: grid=17 block=64
// finds: out-of-bounds
struct value_result_above_end_four { unsigned a, b, c, d; };
__device__ value_result_above_end_four value_result_above_end_of(unsigned x) { return {x, x, x, x}; }
extern "C" __global__ void value_result_above_end(const unsigned *in, value_result_above_end_four *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = value_result_above_end_of(in[i]);
}

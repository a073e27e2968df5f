// nvcuda::wmma: products of small matrices that a warp computes together. Which lane holds which element is nobody's business but these functions'.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

namespace details {

// tf32 is kept in a float.
template <class T>
struct Storage {
    typedef T type;
};
template <>
struct Storage<precision::tf32> {
    typedef float type;
};
template <class Use, int m, int n, int k>
struct Shape {
    static constexpr int rows = m, columns = n;
};
template <int m, int n, int k>
struct Shape<matrix_a, m, n, k> {
    static constexpr int rows = m, columns = k;
};
template <int m, int n, int k>
struct Shape<matrix_b, m, n, k> {
    static constexpr int rows = k, columns = n;
};
template <class T, int m, int n, int k>
constexpr bool exists = emulated_one_of<T, __half, __nv_bfloat16, signed char, unsigned char> ? k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32))
                        : __is_same(T, precision::tf32)                                          ? m == 16 && n == 16 && k == 8
                        : __is_same(T, double)                                                   ? m == 8 && n == 8 && k == 4
                                                                                                 : false;

} // namespace details

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
    typedef details::Shape<Use, m, n, k> Shape;
    static_assert(__is_same(Use, accumulator) || details::exists<T, m, n, k>, "there are no such matrices");

public:
    static constexpr int rows = Shape::rows, columns = Shape::columns;
    // Elements that a lane holds; of half, CUDA holds some twice.
    static constexpr int held = rows * columns / 32;
    static constexpr int num_elements = __is_same(T, __half) && !__is_same(Use, accumulator) ? 16 : held;
    static constexpr int num_storage_elements = num_elements;
    typedef T element_type;
    typedef typename details::Storage<T>::type storage_element_type;
    storage_element_type x[num_elements];
};

namespace details {

// All lanes of the warp are to be here. This orders no memory.
static __forceinline__ void meet() {
    emulated_exchange(EMULATED_VOTE, ~0u, 0);
}
template <class T>
static __forceinline__ void check(const T *place, unsigned stride) {
    if ((size_t)place % 32 != 0) {
        emulated_misuse(EMULATED_MISALIGNED, stride, "a matrix of wmma begins at no multiple of 32 bytes (256 bits)");
    }
    if (stride * sizeof(T) % 16 != 0) {
        emulated_misuse(EMULATED_MISALIGNED, stride, "the rows or columns of a matrix of wmma are apart by no multiple of 16 bytes");
    }
}
// Where the element of a lane lies in memory.
template <class Fragment>
static __forceinline__ unsigned offset(int at, unsigned stride, bool by_rows) {
    const unsigned element = emulated_lane() * Fragment::held + at;
    const unsigned row = element / Fragment::columns, column = element % Fragment::columns;
    return by_rows ? row * stride + column : column * stride + row;
}
template <class Fragment>
static __forceinline__ void load(Fragment &to, const typename Fragment::storage_element_type *from, unsigned stride, bool by_rows) {
    check(from, stride);
    meet();
    for (int at = 0; at < Fragment::num_elements; at++) {
        to.x[at] = at < Fragment::held ? from[offset<Fragment>(at, stride, by_rows)] : to.x[at - Fragment::held];
    }
}

// The whole matrix, from the words that each lane brings.
template <class Fragment>
struct Gathered {
    typedef typename Fragment::storage_element_type Element;
    static constexpr unsigned bytes = sizeof(Element) * Fragment::held, words = (bytes + 7) / 8;
    Element element[32 * Fragment::held];
};
template <class Fragment>
EMULATOR static emulated_u64 word_of(const Fragment &fragment, unsigned word) {
    emulated_u64 result = 0;
    const unsigned bytes = Gathered<Fragment>::bytes - 8 * word;
    __builtin_memcpy(&result, (const char *)fragment.x + 8 * word, bytes < 8 ? bytes : 8);
    return result;
}
template <class Fragment>
EMULATOR static void collect(Gathered<Fragment> &all, const EmulatedLanes *lanes, unsigned word) {
    const unsigned bytes = Gathered<Fragment>::bytes - 8 * word;
    for (unsigned lane = 0; lane < 32; lane++) {
        __builtin_memcpy((char *)all.element + lane * Gathered<Fragment>::bytes + 8 * word, &lanes->values[lane], bytes < 8 ? bytes : 8);
    }
}
template <class Fragment>
static __forceinline__ void gather(Gathered<Fragment> &all, const Fragment &fragment) {
    for (unsigned word = 0; word < Gathered<Fragment>::words; word++) {
        collect(all, emulated_exchange(EMULATED_SHUFFLE, ~0u, word_of(fragment, word)), word);
    }
}
template <class Sum>
struct Wide {
    typedef double type;
};
template <>
struct Wide<int> {
    typedef long long type;
};
// Only the 10 highest bits of a mantissa count for tf32.
template <class T, class Element>
static __forceinline__ auto factor(Element a) {
    if constexpr (__is_same(T, precision::tf32)) {
        return (double)emulated_bits<float>(emulated_bits<unsigned>(a) & 0xffffe000u);
    } else if constexpr (sizeof(Element) == 1) {
        return (long long)a;
    } else if constexpr (sizeof(Element) == 2) {
        return (double)(float)a;
    } else {
        return a;
    }
}
template <class Sum, class T, class A, class B>
EMULATOR static Sum element_of(const Gathered<A> &a, const Gathered<B> &b, Sum c, int at, unsigned lane, bool saturate) {
    const unsigned element = lane * (A::rows * B::columns / 32) + at, row = element / B::columns, column = element % B::columns;
    typename Wide<Sum>::type sum = (typename Wide<Sum>::type)c;
    for (unsigned inner = 0; inner < A::columns; inner++) {
        sum += factor<T>(a.element[row * A::columns + inner]) * factor<T>(b.element[inner * B::columns + column]);
    }
    if constexpr (__is_same(Sum, int)) {
        return saturate ? (int)(sum > 2147483647ll ? 2147483647ll : sum < -2147483648ll ? -2147483648ll : sum) : (int)(unsigned)(emulated_u64)sum;
    } else {
        return Sum(sum);
    }
}

} // namespace details

template <class Use, int m, int n, int k, class T, class Layout, class Value>
static __forceinline__ void fill_fragment(fragment<Use, m, n, k, T, Layout> &to, const Value &value) {
    for (auto &element : to.x) {
        element = value;
    }
}
template <class Use, int m, int n, int k, class T, class Layout>
static __forceinline__ void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &to, const typename details::Storage<T>::type *from, unsigned stride) {
    details::load(to, from, stride, __is_same(Layout, row_major));
}
template <int m, int n, int k, class T>
static __forceinline__ void load_matrix_sync(fragment<accumulator, m, n, k, T> &to, const T *from, unsigned stride, layout_t layout) {
    details::load(to, from, stride, layout == mem_row_major);
}
template <int m, int n, int k, class T>
static __forceinline__ void store_matrix_sync(T *to, const fragment<accumulator, m, n, k, T> &from, unsigned stride, layout_t layout) {
    details::check(to, stride);
    details::meet();
    for (int at = 0; at < from.num_elements; at++) {
        to[details::offset<fragment<accumulator, m, n, k, T>>(at, stride, layout == mem_row_major)] = from.x[at];
    }
}
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class Result, class Sum>
static __forceinline__ void mma_sync(fragment<accumulator, m, n, k, Result> &d, const fragment<matrix_a, m, n, k, T, LayoutA> &a, const fragment<matrix_b, m, n, k, T, LayoutB> &b,
                                     const fragment<accumulator, m, n, k, Sum> &c, bool saturate = false) {
    details::Gathered<fragment<matrix_a, m, n, k, T, LayoutA>> all_of_a;
    details::Gathered<fragment<matrix_b, m, n, k, T, LayoutB>> all_of_b;
    details::gather(all_of_a, a);
    details::gather(all_of_b, b);
    for (int at = 0; at < d.num_elements; at++) {
        d.x[at] = (Result)details::element_of<Sum, T>(all_of_a, all_of_b, c.x[at], at, emulated_lane(), saturate);
    }
}
// To the nearest number of tf32.
static __forceinline__ float __float_to_tf32(float value) {
    return emulated_bits<float>((emulated_bits<unsigned>(value) + 0x1000u) & 0xffffe000u);
}

} // namespace nvcuda::wmma

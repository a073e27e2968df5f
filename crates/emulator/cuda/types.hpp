// Names of the C++ library that NVRTC has without #include: initializer lists, move, forward, placement new.
#pragma once

namespace std {
template <class T>
class initializer_list {
    // The compiler fills these in, in this order.
    const T *first;
    size_t count;

public:
    typedef T value_type;
    typedef const T &reference;
    typedef const T &const_reference;
    typedef size_t size_type;
    typedef const T *iterator;
    typedef const T *const_iterator;
    constexpr initializer_list() noexcept : first(nullptr), count(0) {
    }
    constexpr size_t size() const noexcept {
        return count;
    }
    constexpr const T *begin() const noexcept {
        return first;
    }
    constexpr const T *end() const noexcept {
        return first + count;
    }
};

template <class T>
struct EmulatedNoReference {
    typedef T type;
};
template <class T>
struct EmulatedNoReference<T &> {
    typedef T type;
};
template <class T>
struct EmulatedNoReference<T &&> {
    typedef T type;
};
template <class T>
constexpr typename EmulatedNoReference<T>::type &&move(T &&value) noexcept {
    return static_cast<typename EmulatedNoReference<T>::type &&>(value);
}
template <class T>
constexpr T &&forward(typename EmulatedNoReference<T>::type &value) noexcept {
    return static_cast<T &&>(value);
}
template <class T>
constexpr T &&forward(typename EmulatedNoReference<T>::type &&value) noexcept {
    return static_cast<T &&>(value);
}
} // namespace std

inline void *operator new(size_t, void *place) noexcept {
    return place;
}
inline void *operator new[](size_t, void *place) noexcept {
    return place;
}
inline void operator delete(void *, void *) noexcept {
}
inline void operator delete[](void *, void *) noexcept {
}

// Handles that a host would make. Their names alone are of use to a kernel.
enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorUnknown = 999 };
typedef cudaError cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

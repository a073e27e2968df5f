// A number of bytes that also says how addresses are aligned.
#pragma once

namespace cuda {

template <size_t alignment>
struct aligned_size_t {
    static constexpr size_t align = alignment;
    size_t value;
    explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {
    }
    constexpr operator size_t() const {
        return value;
    }
};

} // namespace cuda

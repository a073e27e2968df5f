// A 16-bit floating-point type and the pair of them. Included by cuda_fp16.h and cuda_bf16.h, with
//   EMULATED_TYPE, EMULATED_RAW, EMULATED_PAIR, EMULATED_PAIR_RAW: the names of the types; EMULATED_MANTISSA: bits of the mantissa.

struct __attribute__((aligned(2))) EMULATED_RAW {
    unsigned short x;
};
struct __attribute__((aligned(4))) EMULATED_PAIR_RAW {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) EMULATED_TYPE {
    typedef EmulatedSmall<EMULATED_MANTISSA> Format;

protected:
    unsigned short __x;

public:
    EMULATED_TYPE() = default;
    __forceinline__ constexpr EMULATED_TYPE(const EMULATED_RAW &raw) : __x(raw.x) {
    }
    __forceinline__ constexpr EMULATED_TYPE(float value) : __x(Format::encode(value)) {
    }
    __forceinline__ constexpr EMULATED_TYPE(double value) : __x(Format::encode(value)) {
    }
    __forceinline__ constexpr operator EMULATED_RAW() const {
        return {__x};
    }
    __forceinline__ operator EMULATED_RAW() const volatile {
        return {__x};
    }
    __forceinline__ volatile EMULATED_TYPE &operator=(const EMULATED_RAW &raw) volatile {
        __x = raw.x;
        return *this;
    }
    __forceinline__ constexpr EMULATED_TYPE &operator=(const EMULATED_RAW &raw) {
        __x = raw.x;
        return *this;
    }
    __forceinline__ constexpr operator float() const {
        return Format::decode(__x);
    }
    __forceinline__ constexpr EMULATED_TYPE &operator=(float value) {
        __x = Format::encode(value);
        return *this;
    }
    __forceinline__ constexpr EMULATED_TYPE &operator=(double value) {
        __x = Format::encode(value);
        return *this;
    }
    __forceinline__ constexpr operator bool() const {
        return (__x & 0x7fff) != 0;
    }
#define EMULATED_WHOLE(type)                                            \
    __forceinline__ constexpr EMULATED_TYPE(type value) : __x(Format::encode(Format::whole(value))) { \
    }                                                                   \
    __forceinline__ constexpr operator type() const {                                   \
        return emulated_whole<type>(Format::decode(__x)); \
    }                                                                   \
    __forceinline__ constexpr EMULATED_TYPE &operator=(type value) {                    \
        __x = Format::encode(Format::whole(value));                     \
        return *this;                                                   \
    }
    EMULATED_WHOLE(short)
    EMULATED_WHOLE(unsigned short)
    EMULATED_WHOLE(int)
    EMULATED_WHOLE(unsigned)
    EMULATED_WHOLE(long long)
    EMULATED_WHOLE(unsigned long long)
#undef EMULATED_WHOLE
#define EMULATED_WHOLE(type)                                            \
    __forceinline__ constexpr EMULATED_TYPE(type value) : __x(Format::encode(Format::whole(value))) { \
    }                                                                   \
    __forceinline__ constexpr operator type() const {                   \
        return emulated_whole<type>(Format::decode(__x));               \
    }
    EMULATED_WHOLE(long)
    EMULATED_WHOLE(unsigned long)
#undef EMULATED_WHOLE
#define EMULATED_WHOLE(type)                                            \
    __forceinline__ constexpr operator type() const {                                   \
        return (type)emulated_whole<type>(Format::decode(__x)); \
    }
    EMULATED_WHOLE(char)
    EMULATED_WHOLE(signed char)
    EMULATED_WHOLE(unsigned char)
#undef EMULATED_WHOLE
};

struct __attribute__((aligned(4))) EMULATED_PAIR {
    EMULATED_TYPE x, y;
    EMULATED_PAIR() = default;
    __forceinline__ constexpr EMULATED_PAIR(const EMULATED_TYPE &x, const EMULATED_TYPE &y) : x(x), y(y) {
    }
    __forceinline__ constexpr EMULATED_PAIR(const EMULATED_PAIR_RAW &raw) : x(EMULATED_RAW{raw.x}), y(EMULATED_RAW{raw.y}) {
    }
    __forceinline__ constexpr operator EMULATED_PAIR_RAW() const {
        return {((EMULATED_RAW)x).x, ((EMULATED_RAW)y).x};
    }
};

static __forceinline__ constexpr EMULATED_TYPE emulated_rounded_to(EMULATED_TYPE *, double value, EmulatedRounding mode = EMULATED_ROUND_NEAREST) {
    return EMULATED_RAW{EMULATED_TYPE::Format::encode(value, mode)};
}
template <>
struct EmulatedAlsoCached<EMULATED_TYPE> {
    static constexpr bool value = true;
};
template <>
struct EmulatedAlsoCached<EMULATED_PAIR> {
    static constexpr bool value = true;
};
EMULATED_SHUFFLES(EMULATED_TYPE, unsigned short)
EMULATED_SHUFFLES(EMULATED_PAIR, emulated_u32)

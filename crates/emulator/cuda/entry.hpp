// How the emulator starts a thread: arguments lie where the driver would have them.
#pragma once

template <class Kernel>
struct EmulatedEntry;
template <class... Parameters>
struct EmulatedEntry<void (*)(Parameters...)> {
    template <size_t... At>
    struct List {};
#ifdef __clang__
    template <class, size_t... At>
    using ListOf = List<At...>;
    using All = __make_integer_seq<ListOf, size_t, sizeof...(Parameters)>;
#else
    using All = List<__integer_pack(sizeof...(Parameters))...>;
#endif
    template <size_t... At>
    static EMULATOR void call(void (*kernel)(Parameters...), void **arguments, List<At...>) {
        kernel(*static_cast<Parameters *>(arguments[At])...);
    }
    // How many parameters it has, and the bytes of each where there is room for them.
    static EMULATOR int sizes(emulated_u64 *bytes) {
        if (bytes != nullptr) {
            ((*bytes++ = sizeof(Parameters)), ...);
        }
        return sizeof...(Parameters);
    }
};

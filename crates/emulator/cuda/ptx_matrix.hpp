// Small matrices that a warp holds together: ldmatrix, stmatrix, movmatrix and mma.sync.
#pragma once

namespace emulated_ptx {
constexpr u32 all_lanes = 0xffffffffu;
struct Lanes {
    u64 values[32];
};
EMULATOR static inline void lane_values(const EmulatedLanes *lanes, Lanes &to) {
    for (u32 lane = 0; lane < 32; lane++) {
        to.values[lane] = lanes->values[lane];
    }
}

// The first eight lanes give the rows of the first matrix, and so on.
static __forceinline__ void check_row(const void *row, int count) {
    if (laneid() < 8u * count && (u64)row % 16 != 0) {
        emulated_misuse(EMULATED_MISALIGNED, (u32)((u64)row % 16), "a row of a matrix is at an address that is no multiple of 16");
    }
}

// Where the lanes meet is in the kernel, so that a report names its line. The functions that are called are not traced, and what they answer comes in
// registers: to the kernel's tracing nothing would have written it in memory.

// Each of eight lanes gives the address of a row of eight elements; lane l gets elements 2 (l % 4) and the next of row l / 4.
template <int count, bool transposed>
EMULATOR static values<u32, count> load_rows(const EmulatedLanes *lanes) {
    const void *const place = __builtin_return_address(0);
    Lanes rows;
    values<u32, count> parts;
    lane_values(lanes, rows);
    const u32 lane = laneid(), first = lane / 4, pair = lane % 4;
    for (u32 matrix = 0; matrix < count; matrix++) {
        if (!transposed) {
            const char *const at = (const char *)rows.values[8 * matrix + first];
            emulated_access(at + 4 * pair, 4, EMULATED_READ, place);
            __builtin_memcpy(&parts.at[matrix], at + 4 * pair, 4);
            continue;
        }
        u16 halves[2];
        for (u32 half = 0; half < 2; half++) {
            const char *const at = (const char *)rows.values[8 * matrix + 2 * pair + half];
            emulated_access(at + 2 * first, 2, EMULATED_READ, place);
            __builtin_memcpy(&halves[half], at + 2 * first, 2);
        }
        parts.at[matrix] = halves[0] | (u32)halves[1] << 16;
    }
    return parts;
}
template <int count, bool transposed>
static __forceinline__ values<u32, count> load_matrices(const void *row) {
    check_row(row, count);
    return load_rows<count, transposed>(emulated_exchange(EMULATED_SHUFFLE, all_lanes, (u64)row));
}
template <int count, bool transposed>
EMULATOR static void store_rows(const EmulatedLanes *lanes, values<u32, count> parts) {
    const void *const place = __builtin_return_address(0);
    Lanes rows;
    lane_values(lanes, rows);
    const u32 lane = laneid(), first = lane / 4, pair = lane % 4;
    for (u32 matrix = 0; matrix < count; matrix++) {
        if (!transposed) {
            char *const at = (char *)rows.values[8 * matrix + first];
            emulated_access(at + 4 * pair, 4, EMULATED_WRITE, place);
            __builtin_memcpy(at + 4 * pair, &parts.at[matrix], 4);
            continue;
        }
        for (u32 half = 0; half < 2; half++) {
            char *const at = (char *)rows.values[8 * matrix + 2 * pair + half];
            const u16 value = (u16)(parts.at[matrix] >> (16 * half));
            emulated_access(at + 2 * first, 2, EMULATED_WRITE, place);
            __builtin_memcpy(at + 2 * first, &value, 2);
        }
    }
}
template <int count, bool transposed>
static __forceinline__ void store_matrices(void *row, values<u32, count> parts) {
    check_row(row, count);
    store_rows<count, transposed>(emulated_exchange(EMULATED_SHUFFLE, all_lanes, (u64)row), parts);
}
EMULATOR static inline u32 transposed_part(const EmulatedLanes *lanes) {
    const u32 lane = laneid(), row = lane / 4, column = 2 * (lane % 4);
    u32 result = 0;
    for (u32 half = 0; half < 2; half++) {
        // Element (row, column + half) of the result is (column + half, row) of what there was.
        const u64 from = lanes->values[4 * (column + half) + row / 2];
        result |= (u32)(from >> (16 * (row % 2)) & 0xffff) << (16 * half);
    }
    return result;
}
static __forceinline__ u32 transpose_matrix(u32 part) {
    return transposed_part(emulated_exchange(EMULATED_SHUFFLE, all_lanes, part));
}

// What each lane brings of a matrix.
static __forceinline__ void bring(u64 part, Lanes &to) {
    lane_values(emulated_exchange(EMULATED_SHUFFLE, all_lanes, part), to);
}
// Numbers in a register.
template <class T>
constexpr u32 packed = __is_same(T, tf32) ? 1 : sizeof(T) == 1 ? 4 : 2;
template <class T>
static __forceinline__ double factor(u64 parts, u32 at) {
    if constexpr (__is_same(T, tf32)) {
        return as<float>(parts & 0xffffe000u);
    } else {
        return (double)as<T>(parts >> (8 * sizeof(T) * at));
    }
}
// D = A (16 x depth) * B (depth x 8) + C (16 x 8). How a GPU rounds the sums inside is not documented; here they are exact to double and rounded once.
template <class A, class B, class Result, int depth, bool limits>
EMULATOR static values<u32, 4> multiply(const Lanes *rows, const Lanes *columns, values<u32, 4> registers) {
    u32 *const c = registers.at;
    constexpr u32 width = packed<A>;
    const u32 lane = laneid();
    for (u32 at = 0; at < 4; at++) {
        const u32 row = lane / 4 + 8 * (at / 2), column = 2 * (lane % 4) + at % 2;
        constexpr bool halves = __is_same(Result, f16);
        double sum = 0;
        if constexpr (halves) {
            sum = (float)as<f16>(c[at / 2] >> (16 * (at % 2)));
        } else {
            sum = (double)as<Result>(c[at]);
        }
        for (u32 k = 0; k < depth; k++) {
            // A register's part of the matrix is 8 rows by 4 * width columns; those below follow at once, those to the right after them.
            const u32 right = k / (4 * width), inside = k % (4 * width);
            const u64 from_a = rows[row / 8 + 2 * right].values[4 * (row % 8) + inside / width];
            const u64 from_b = columns[right].values[4 * column + inside / width];
            sum += factor<A>(from_a, inside % width) * factor<B>(from_b, inside % width);
        }
        if constexpr (halves) {
            c[at / 2] = (c[at / 2] & ~(0xffffu << (16 * (at % 2)))) | (u32)raw(f16(sum)) << (16 * (at % 2));
        } else if constexpr (__is_same(Result, float)) {
            c[at] = (u32)raw((float)sum);
        } else {
            // Whole numbers, far from the end of double's.
            const s64 whole = (s64)sum, most = 0x7fffffff;
            c[at] = (u32)(!limits ? whole : whole > most ? most : whole < -most - 1 ? -most - 1 : whole);
        }
    }
    return registers;
}
} // namespace emulated_ptx

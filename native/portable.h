/* What compilers and machines differ in: bit counts, wide products, byte order. With STEELYARD_PLAIN nothing but
   standard C is used, as with a compiler that is not known here. */
#ifndef STEELYARD_PORTABLE_H
#define STEELYARD_PORTABLE_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "doubles must be rounded after every operation (no x87 arithmetic)"
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#include <stdlib.h>
#endif

#if !defined(STEELYARD_PLAIN) && (defined(__GNUC__) || defined(__clang__))
#define STEELYARD_GNU 1
#endif

#if !defined(STEELYARD_PLAIN) && (defined(__SSE2__) || defined(_M_X64))
#define STEELYARD_SSE2 1
#include <emmintrin.h>
#endif

/* The number of zero bits below the lowest set bit; `bits` is not 0. */
static inline unsigned low_zeros(uint64_t bits) {
#ifdef STEELYARD_GNU
    return (unsigned)__builtin_ctzll(bits);
#elif defined(_MSC_VER) && defined(_WIN64)
    unsigned long place;
    _BitScanForward64(&place, bits);
    return (unsigned)place;
#else
    unsigned count = 0;
    while (!(bits & 1)) {
        bits >>= 1;
        count++;
    }
    return count;
#endif
}

/* The number of zero bits above the highest set bit; `bits` is not 0. */
static inline unsigned high_zeros(uint64_t bits) {
#ifdef STEELYARD_GNU
    return (unsigned)__builtin_clzll(bits);
#elif defined(_MSC_VER) && defined(_WIN64)
    unsigned long place;
    _BitScanReverse64(&place, bits);
    return 63u - (unsigned)place;
#else
    unsigned count = 0;
    while (!(bits >> 63)) {
        bits <<= 1;
        count++;
    }
    return count;
#endif
}

static inline unsigned count_ones(uint64_t bits) {
#ifdef STEELYARD_GNU
    return (unsigned)__builtin_popcountll(bits);
#else
    bits -= (bits >> 1) & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
    return (unsigned)((((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u) >> 56);
#endif
}

/* The upper half of a product of 128 bits; `low` is the lower half. */
static inline uint64_t wide_product(uint64_t left, uint64_t right, uint64_t *low) {
#if defined(STEELYARD_GNU) && defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)left * right;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#elif defined(_MSC_VER) && defined(_M_X64)
    uint64_t high;
    *low = _umul128(left, right, &high);
    return high;
#else
    uint64_t a = left >> 32, b = left & 0xFFFFFFFFu, c = right >> 32, d = right & 0xFFFFFFFFu;
    uint64_t middle = a * d + ((b * d) >> 32);
    uint64_t other = b * c + (middle & 0xFFFFFFFFu);
    *low = left * right;
    return a * c + (middle >> 32) + (other >> 32);
#endif
}

/* Eight bytes as a word whose lowest byte is the first. */
static inline uint64_t load_word(const uint8_t *at) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint64_t word = 0;
    for (int byte = 7; byte >= 0; byte--)
        word = word << 8 | at[byte];
    return word;
#else
    uint64_t word;
    memcpy(&word, at, 8);
    return word;
#endif
}

/* The first `count` bytes (at most 8) as such a word, the others 0; nothing is read at or after `end`. */
static inline uint64_t load_bytes(const uint8_t *at, size_t count, const uint8_t *end) {
    if (end - at >= 8) {
        uint64_t word = load_word(at);
        return count >= 8 ? word : word & (((uint64_t)1 << (8 * count)) - 1);
    }
    uint64_t word = 0;
    for (size_t byte = 0; byte < count && byte < 8; byte++)
        word |= (uint64_t)at[byte] << (8 * byte);
    return word;
}

/* The same bytes, the last one lowest. */
static inline uint64_t reversed(uint64_t word) {
#ifdef STEELYARD_GNU
    return __builtin_bswap64(word);
#elif defined(_MSC_VER)
    return _byteswap_uint64(word);
#else
    word = (word & 0x00FF00FF00FF00FFu) << 8 | (word >> 8 & 0x00FF00FF00FF00FFu);
    word = (word & 0x0000FFFF0000FFFFu) << 16 | (word >> 16 & 0x0000FFFF0000FFFFu);
    return word << 32 | word >> 32;
#endif
}

static inline size_t smaller(size_t left, size_t right) {
    return left < right ? left : right;
}

#endif

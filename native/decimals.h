/* Decimal numbers as the doubles that are nearest to them. */
#ifndef STEELYARD_DECIMALS_H
#define STEELYARD_DECIMALS_H

#include <stdint.h>

enum number_form {
    NUMBER_EXACT,  /* the value is the nearest double */
    NUMBER_LONG,   /* a number, but this file cannot be sure of the nearest double */
    NUMBER_OTHER   /* not [+-]digits[.digits][e[+-]digits] */
};

/* Reads the number between `at` and `end`. Nothing before `base` and nothing from `end` on is looked at. */
enum number_form read_decimal(const uint8_t *base, const uint8_t *at, const uint8_t *end, double *value);

/* Eight digits, the first in the lowest byte, as an integer. */
static inline uint64_t eight_digits(uint64_t word) {
    word = ((word & 0x0F0F0F0F0F0F0F0Fu) * 2561) >> 8;
    word = ((word & 0x00FF00FF00FF00FFu) * 6553601) >> 16;
    return ((word & 0x0000FFFF0000FFFFu) * 42949672960001u) >> 32;
}

#endif

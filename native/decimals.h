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

#endif

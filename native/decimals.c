#include "decimals.h"

#include "portable.h"

#define LARGEST_WHOLE ((uint64_t)1 << 53) /* up to here doubles hold every integer */
#define MOST_DIGITS 19                    /* of a mantissa of 64 bits */
#define MOST_POWER 22                     /* up to here doubles hold the powers of ten */
#define MOST_DIVISOR 19                   /* up to here 64 bits hold them */
#define MOST_EXPONENT 9999

static const double POWERS[MOST_POWER + 1] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A power of ten shifted until its highest bit is set, floor((2^128 - 1) / it) - 2^64, and the shift. */
static const struct divisor {
    uint64_t value, reciprocal;
    unsigned shift;
} DIVISORS[MOST_DIVISOR + 1] = {
    {0x8000000000000000u, 0xFFFFFFFFFFFFFFFFu, 63},
    {0xA000000000000000u, 0x9999999999999999u, 60},
    {0xC800000000000000u, 0x47AE147AE147AE14u, 57},
    {0xFA00000000000000u, 0x0624DD2F1A9FBE76u, 54},
    {0x9C40000000000000u, 0xA36E2EB1C432CA57u, 50},
    {0xC350000000000000u, 0x4F8B588E368F0846u, 47},
    {0xF424000000000000u, 0x0C6F7A0B5ED8D36Bu, 44},
    {0x9896800000000000u, 0xAD7F29ABCAF48578u, 40},
    {0xBEBC200000000000u, 0x5798EE2308C39DF9u, 37},
    {0xEE6B280000000000u, 0x12E0BE826D694B2Eu, 34},
    {0x9502F90000000000u, 0xB7CDFD9D7BDBAB7Du, 30},
    {0xBA43B74000000000u, 0x5FD7FE17964955FDu, 27},
    {0xE8D4A51000000000u, 0x19799812DEA11197u, 24},
    {0x9184E72A00000000u, 0xC25C268497681C26u, 20},
    {0xB5E620F480000000u, 0x6849B86A12B9B01Eu, 17},
    {0xE35FA931A0000000u, 0x203AF9EE756159B2u, 14},
    {0x8E1BC9BF04000000u, 0xCD2B297D889BC2B6u, 10},
    {0xB1A2BC2EC5000000u, 0x70EF54646D496892u, 7},
    {0xDE0B6B3A76400000u, 0x2725DD1D243ABA0Eu, 4},
    {0x8AC7230489E80000u, 0xD83C94FB6D2AC34Au, 0},
};

/* `high` * 2^63 / divisor and whether there is a remainder: N. Moeller and T. Granlund, Improved division by
   invariant integers, 2011, algorithm 4. */
static uint64_t divide(uint64_t high, const struct divisor *by, int *remains) {
    uint64_t upper = high >> 1, lower = high << 63, low;
    uint64_t quotient = wide_product(by->reciprocal, upper, &low);
    low += lower;
    quotient += upper + (low < lower) + 1;
    uint64_t rest = lower - quotient * by->value;
    if (rest > low) {
        quotient--;
        rest += by->value;
    }
    if (rest >= by->value) {
        quotient++;
        rest -= by->value;
    }
    *remains = rest != 0;
    return quotient;
}

/* The double nearest to mantissa / 10^power, ties to even; the mantissa is not 0. */
static double quotient_of(uint64_t mantissa, int power) {
    const struct divisor *by = &DIVISORS[power];
    unsigned shift = high_zeros(mantissa);
    int remains;
    uint64_t quotient = divide(mantissa << shift, by, &remains);
    unsigned extra = 11 - high_zeros(quotient); /* bits below the 53 that are kept */
    uint64_t kept = quotient >> extra, rest = quotient & (((uint64_t)1 << extra) - 1), half = (uint64_t)1 << (extra - 1);
    if (rest > half || (rest == half && (remains || (kept & 1))))
        kept++;
    uint64_t bits = (uint64_t)(1023 - 63 + (int)by->shift - (int)shift + (int)extra) << 52;
    double scale;
    memcpy(&scale, &bits, 8);
    return (double)kept * scale;
}

static enum number_form nearest(uint64_t mantissa, int power, double *value) {
    if (mantissa == 0)
        *value = 0.0;
    else if (power > 0 && power <= MOST_POWER && mantissa <= LARGEST_WHOLE)
        *value = (double)mantissa * POWERS[power];
    else if (power <= 0 && power >= -MOST_POWER && mantissa <= LARGEST_WHOLE)
        *value = (double)mantissa / POWERS[-power];
    else if (power <= 0 && power >= -MOST_DIVISOR)
        *value = quotient_of(mantissa, -power);
    else
        return NUMBER_LONG;
    return NUMBER_EXACT;
}

static inline int is_digit(uint8_t byte) {
    return (uint8_t)(byte - '0') <= 9;
}

static inline int eight_are_digits(uint64_t word) {
    return (((word + 0x4646464646464646u) | (word - 0x3030303030303030u)) & 0x8080808080808080u) == 0;
}

/* The highest bit of the first byte that is a point, 0 if there is none. */
static inline uint64_t point_bit(uint64_t word) {
    uint64_t different = word ^ 0x2E2E2E2E2E2E2E2Eu;
    return (different - 0x0101010101010101u) & ~different & 0x8080808080808080u;
}

struct digits {
    uint64_t mantissa; /* modulo 2^64, if there are more digits than it holds */
    ptrdiff_t count;   /* digits of the mantissa, after its zeros in front */
};

/* Appends the digits from `at` on; where they end. */
static inline const uint8_t *append_digits(const uint8_t *at, const uint8_t *end, struct digits *to) {
    const uint8_t *first = at;
    if (to->mantissa == 0 && to->count == 0) {
        while (at < end && *at == '0')
            at++;
        first = at;
    }
    while (end - at >= 8) {
        uint64_t word = load_word(at);
        if (!eight_are_digits(word))
            break;
        to->mantissa = to->mantissa * 100000000u + eight_digits(word);
        at += 8;
    }
    for (; at < end && is_digit(*at); at++)
        to->mantissa = to->mantissa * 10 + (uint64_t)(*at - '0');
    to->count += at - first;
    return at;
}

/* The exponent after its letter, at most MOST_EXPONENT; NULL if there is none. */
static const uint8_t *read_exponent(const uint8_t *at, const uint8_t *end, int *exponent) {
    int negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end || !is_digit(*at))
        return NULL;
    int value = 0;
    for (; at < end && is_digit(*at); at++)
        value = value > MOST_EXPONENT / 10 ? MOST_EXPONENT : value * 10 + (*at - '0');
    *exponent = negative ? -value : value;
    return at;
}

/* Digits with at most one point, up to 2^53: 16 bytes or fewer, as the two words that end where the number ends. */
static int read_short(const uint8_t *at, const uint8_t *end, double *value) {
    unsigned size = (unsigned)(end - at), outside = 8 * (16 - size);
    uint64_t last = load_word(end - 8), first = load_word(end - 16), zeros = 0x3030303030303030u;
    uint64_t gone = outside >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << outside) - 1;
    first = (first & ~gone) | (zeros & gone);
    gone = outside <= 64 ? 0 : ((uint64_t)1 << (outside - 64)) - 1;
    last = (last & ~gone) | (zeros & gone);
    unsigned fraction = 0;
    uint64_t point = point_bit(last);
    if (point) { /* the bytes before the point move up by one */
        unsigned place = low_zeros(point) & ~7u;
        uint64_t before = ((uint64_t)1 << place) - 1;
        fraction = 7 - place / 8;
        last = (last & ~(before << 8 | 0xFF)) | (last & before) << 8 | first >> 56;
        first = first << 8 | '0';
    } else if ((point = point_bit(first))) {
        unsigned place = low_zeros(point) & ~7u;
        uint64_t before = ((uint64_t)1 << place) - 1;
        fraction = 15 - place / 8;
        first = (first & ~(before << 8 | 0xFF)) | (first & before) << 8 | '0';
    }
    if (!eight_are_digits(first) || !eight_are_digits(last) || (point && size == 1))
        return 0;
    uint64_t mantissa = eight_digits(first) * 100000000u + eight_digits(last);
    *value = (double)mantissa / POWERS[fraction];
    return mantissa <= LARGEST_WHOLE;
}

enum number_form read_decimal(const uint8_t *base, const uint8_t *at, const uint8_t *end, double *value) {
    int signs = at < end && *at == '-';
    if (end - base >= 16 && end - at > signs && end - at <= 16 && read_short(at + signs, end, value)) {
        *value = signs ? -*value : *value;
        return NUMBER_EXACT;
    }
    int negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    struct digits digits = {0, 0};
    const uint8_t *first = at;
    at = append_digits(at, end, &digits);
    ptrdiff_t written = at - first, fraction = 0;
    if (at < end && *at == '.') {
        first = ++at;
        at = append_digits(at, end, &digits);
        fraction = at - first;
    }
    if (written + fraction == 0)
        return NUMBER_OTHER;
    int exponent = 0;
    if (at < end && (*at == 'e' || *at == 'E') && !(at = read_exponent(at + 1, end, &exponent)))
        return NUMBER_OTHER;
    if (at != end)
        return NUMBER_OTHER;
    if (digits.count > MOST_DIGITS || fraction > MOST_EXPONENT)
        return NUMBER_LONG;
    enum number_form form = nearest(digits.mantissa, exponent - (int)fraction, value);
    if (form == NUMBER_EXACT && negative)
        *value = -*value;
    return form;
}

#include "characters.h"

#define FACTOR 40503u /* as in text/alternatives.py */

uint64_t classes_of(const uint32_t *text, size_t count, const uint64_t *table, size_t known) {
    uint64_t bits = 0;
    for (size_t at = 0; at < count; at++)
        bits |= table[text[at] < known ? text[at] : known];
    return bits;
}

size_t find_members(const uint32_t *text, size_t count, const uint64_t *table, size_t known, uint64_t bits,
                   uint32_t *places) {
    size_t found = 0;
    for (size_t at = 0; at < count; at++) {
        places[found] = (uint32_t)at;
        found += (table[text[at] < known ? text[at] : known] & bits) != 0;
    }
    return found;
}

size_t find_openings(const uint32_t *text, size_t count, const uint8_t *single, const uint8_t *pairs,
                     uint32_t *places) {
    size_t found = 0;
    for (size_t at = 0; at < count; at++) {
        uint32_t hash = text[at] + (at + 1 < count ? text[at + 1] * FACTOR : 0);
        places[found] = (uint32_t)at;
        found += single[text[at] % PAIR_HASHES] | pairs[hash % PAIR_HASHES];
    }
    return found;
}

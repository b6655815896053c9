/* Characters of a text as code points: which classes they belong to, and where words may begin. */
#ifndef STEELYARD_CHARACTERS_H
#define STEELYARD_CHARACTERS_H

#include <stddef.h>
#include <stdint.h>

/* The number of hashes of a pair of characters, and of a character alone. */
#define PAIR_HASHES 65536

/* The bits of all characters together. `table` has the bits of the first `known` code points, and after them those of
   all others. */
uint64_t classes_of(const uint32_t *text, size_t count, const uint64_t *table, size_t known);

/* The indexes of characters that have one of the bits; `places` has room for `count`. */
size_t find_members(const uint32_t *text, size_t count, const uint64_t *table, size_t known, uint64_t bits,
                   uint32_t *places);

/* The indexes of characters that are marked in `single`, or in `pairs` with the one after them, by their hashes.
   `places` has room for `count`. */
size_t find_openings(const uint32_t *text, size_t count, const uint8_t *single, const uint8_t *pairs, uint32_t *places);

#endif

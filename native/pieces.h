/* Pieces of texts between blanks, and their numbers. */
#ifndef STEELYARD_PIECES_H
#define STEELYARD_PIECES_H

#include <stddef.h>
#include <stdint.h>

/* The pieces that are known. */
struct pieces;

/* An empty table; the seed makes its hashes unpredictable. NULL if memory is lacking. */
struct pieces *pieces_new(uint64_t seed);
void pieces_free(struct pieces *pieces);

/* The numbers of the pieces of one text, to be freed. */
struct piece_numbers {
    int64_t *values;
    size_t count, room;
};

/* Numbers the pieces of a text in UTF-8; a new piece gets the next number. Blanks are those of `str.split`. 0 if memory
   is lacking. */
int number_pieces(struct pieces *pieces, const uint8_t *text, size_t size, struct piece_numbers *numbers);

/* The number of pieces that are known; and these from number `first` on, a space after each. */
size_t pieces_count(const struct pieces *pieces);
const uint8_t *pieces_from(const struct pieces *pieces, size_t first, size_t *size);

#endif

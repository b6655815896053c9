/* Judged queries and documents, found by their bytes. */
#ifndef STEELYARD_JUDGMENTS_H
#define STEELYARD_JUDGMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "portable.h"

#define MULTIPLIER 0x9E3779B97F4A7C15u

struct judgments;

/* Whether so many steps past the slots of others, to find those of `count` texts, are no accident. */
static inline int are_made_to_collide(uint64_t steps, uint64_t count) {
    return steps > 1024 + 16 * count;
}

/* Texts as slices of a buffer. */
struct texts {
    const uint8_t *buffer;
    size_t size;
    const int64_t *starts, *ends;
    size_t count;
};

/* A copy of the queries, and of the documents with the number of the query of each; NULL if memory is lacking, or if
   a number or a slice is out of bounds or texts are made to collide (`invalid` is set then). */
struct judgments *judgments_new(const struct texts *queries, const struct texts *documents, const int64_t *query,
                                int *invalid);
void judgments_free(struct judgments *judgments);

/* The number of a query, or -1; `steps` grows by the slots of others that were passed. */
int64_t judgments_query(const struct judgments *judgments, const uint8_t *text, size_t size, const uint8_t *end,
                        uint64_t *steps);

/* A bit for the hash of a document. */
static inline uint64_t judged_bit(uint64_t hash) {
    return (uint64_t)1 << (hash >> 58);
}

/* The bits of all judged documents of a query; none if its number is -1. */
uint64_t judgments_bits(const struct judgments *judgments, int64_t query);

/* The judgment of a document with this hash, or -1; `steps` as above. */
int64_t judgments_document(const struct judgments *judgments, int64_t query, uint64_t hash, const uint8_t *text,
                           size_t size, uint64_t *steps);

/* A hash of the bytes of a text, different for different texts of one size up to eight bytes; nothing is read at or
   after `end`. */
static inline uint64_t text_hash(const uint8_t *text, size_t size, const uint8_t *end) {
    uint64_t hash = (uint64_t)size * MULTIPLIER;
    do {
        size_t count = smaller(size, 8);
        hash = (hash ^ load_bytes(text, count, end)) * MULTIPLIER;
        hash ^= hash >> 32;
        text += count;
        size -= count;
    } while (size);
    return hash * MULTIPLIER;
}

/* The hash of `Spans.hashes`, by which blocks of a run are compared. */
uint64_t span_hash(const uint8_t *text, size_t size, const uint8_t *end);

#endif

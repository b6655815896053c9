/* Judged queries and documents, found by their bytes. */
#ifndef STEELYARD_JUDGMENTS_H
#define STEELYARD_JUDGMENTS_H

#include <stddef.h>
#include <stdint.h>

struct judgments;

/* Texts as slices of a buffer. */
struct texts {
    const uint8_t *buffer;
    size_t size;
    const int64_t *starts, *ends;
    size_t count;
};

/* A copy of the queries, and of the documents with the number of the query of each; NULL if memory is lacking or a
   number or a slice is out of bounds (`invalid` is set then). */
struct judgments *judgments_new(const struct texts *queries, const struct texts *documents, const int64_t *query,
                                int *invalid);
void judgments_free(struct judgments *judgments);

/* The number of a query, or -1. */
int64_t judgments_query(const struct judgments *judgments, const uint8_t *text, size_t size, const uint8_t *end);

/* The judged documents of a query as slots of a hash table; empty slots have judgment -1. */
struct judged_slot {
    uint64_t hash;
    int64_t judgment;
};

struct judged_documents {
    const struct judged_slot *slots;
    uint64_t mask;
};

struct judged_documents judgments_of(const struct judgments *judgments, int64_t query);
int judgments_same(const struct judgments *judgments, int64_t judgment, const uint8_t *text, size_t size);

/* A hash of the bytes of a text; nothing is read at or after `end`. */
uint64_t text_hash(const uint8_t *text, size_t size, const uint8_t *end);

/* The hash of `Spans.hashes`, by which blocks of a run are compared. */
uint64_t span_hash(const uint8_t *text, size_t size, const uint8_t *end);

#endif

#include "judgments.h"

#include <stdlib.h>

#include "portable.h"

#define LONGEST (INT64_C(1) << 30) /* bytes of a text */
#define MOST ((size_t)1 << 29)     /* queries, documents */

struct slot {
    uint64_t hash;
    uint32_t size;
    uint32_t judgment; /* plus one; 0 in an empty slot */
};

struct query {
    uint64_t hash;
    uint64_t bits;       /* of the hashes of its documents, see judged_bit */
    uint64_t first_slot; /* of its documents */
    uint32_t size, mask;
};

struct judgments {
    uint8_t *bytes;        /* of all queries and documents */
    uint64_t *starts;      /* of their texts, the queries first */
    struct query *queries;
    struct slot *slots;    /* the documents, a table for each query */
    uint32_t *numbers;     /* the queries as a table: their numbers, plus one; 0 in an empty slot */
    size_t count;          /* of queries */
    uint64_t mask;
};

uint64_t span_hash(const uint8_t *text, size_t size, const uint8_t *end) {
    uint64_t total = 0, weight = 1;
    do {
        size_t count = smaller(size, 8);
        uint64_t mixed = load_bytes(text, count, end) * MULTIPLIER;
        weight *= MULTIPLIER;
        total += (mixed ^ (mixed >> 32)) * weight;
        text += count;
        size -= count;
    } while (size);
    return total ^ (total >> 32);
}

/* A power of two of at least twice `count`. */
static uint64_t table_size(uint64_t count) {
    uint64_t size = 2;
    while (size < 2 * count)
        size *= 2;
    return size;
}

/* The sum of the sizes; -1 if a slice is out of bounds. */
static int64_t total_size(const struct texts *texts) {
    int64_t total = 0;
    for (size_t row = 0; row < texts->count; row++) {
        int64_t start = texts->starts[row], end = texts->ends[row];
        if (start < 0 || end < start || (uint64_t)end > texts->size || end - start > LONGEST ||
            total > INT64_MAX - (end - start))
            return -1;
        total += end - start;
    }
    return total;
}

/* Gives each query its slots; the number of all. 0 if a query has no number. */
static uint64_t share_slots(struct judgments *made, size_t queries, const int64_t *query, size_t count) {
    for (size_t row = 0; row < count; row++) {
        if (query[row] < 0 || (uint64_t)query[row] >= queries)
            return 0;
        made->queries[query[row]].mask++;
    }
    uint64_t next = 0;
    for (size_t number = 0; number < queries; number++) {
        uint64_t size = table_size(made->queries[number].mask);
        made->queries[number].first_slot = next;
        made->queries[number].mask = (uint32_t)(size - 1);
        next += size;
    }
    return next;
}

/* Copies a text; its hash. */
static uint64_t copy_text(struct judgments *made, const struct texts *texts, size_t row, uint64_t start,
                          const uint8_t *end) {
    size_t size = (size_t)(texts->ends[row] - texts->starts[row]);
    memcpy(made->bytes + start, texts->buffer + texts->starts[row], size);
    return text_hash(made->bytes + start, size, end);
}

/* 0 if texts are made to collide, as below; else `next` is where the next text begins. */
static int add_queries(struct judgments *made, const struct texts *queries, uint64_t *next, const uint8_t *end) {
    uint64_t steps = 0;
    for (size_t row = 0; row < queries->count; row++) {
        struct query *one = &made->queries[row];
        made->starts[row] = *next;
        one->hash = copy_text(made, queries, row, *next, end);
        one->size = (uint32_t)(queries->ends[row] - queries->starts[row]);
        *next += one->size;
        uint64_t slot = one->hash >> 32 & made->mask;
        for (; made->numbers[slot]; steps++)
            slot = (slot + 1) & made->mask;
        made->numbers[slot] = (uint32_t)row + 1;
        if (are_made_to_collide(steps, queries->count))
            return 0;
    }
    return 1;
}

static int add_documents(struct judgments *made, const struct texts *documents, const int64_t *query, uint64_t next,
                         const uint8_t *end) {
    uint64_t steps = 0;
    for (size_t row = 0; row < documents->count; row++) {
        struct query *of = &made->queries[query[row]];
        struct slot *slots = made->slots + of->first_slot;
        made->starts[made->count + row] = next;
        uint64_t hash = copy_text(made, documents, row, next, end), slot = hash >> 32 & of->mask;
        uint32_t size = (uint32_t)(documents->ends[row] - documents->starts[row]);
        next += size;
        of->bits |= judged_bit(hash);
        for (; slots[slot].judgment; steps++)
            slot = (slot + 1) & of->mask;
        slots[slot] = (struct slot){hash, size, (uint32_t)row + 1};
        if (are_made_to_collide(steps, documents->count))
            return 0;
    }
    return 1;
}

struct judgments *judgments_new(const struct texts *queries, const struct texts *documents, const int64_t *query,
                                int *invalid) {
    int64_t sizes[2] = {total_size(queries), total_size(documents)};
    *invalid = sizes[0] < 0 || sizes[1] < 0 || queries->count == 0 || queries->count > MOST || documents->count > MOST;
    struct judgments *made = *invalid ? NULL : calloc(1, sizeof *made);
    if (!made)
        return NULL;
    size_t size = (size_t)(sizes[0] + sizes[1]);
    made->count = queries->count;
    made->mask = table_size(queries->count) - 1;
    made->bytes = malloc(size ? size : 1);
    made->starts = malloc((queries->count + documents->count) * sizeof *made->starts);
    made->queries = calloc(queries->count, sizeof *made->queries);
    made->numbers = calloc((size_t)made->mask + 1, sizeof *made->numbers);
    uint64_t slots = made->queries ? share_slots(made, queries->count, query, documents->count) : 0;
    *invalid = made->queries && !slots;
    made->slots = slots ? calloc((size_t)slots, sizeof *made->slots) : NULL;
    if (!made->bytes || !made->starts || !made->numbers || !made->slots) {
        judgments_free(made);
        return NULL;
    }
    const uint8_t *end = made->bytes + size;
    uint64_t next = 0;
    if (add_queries(made, queries, &next, end) && add_documents(made, documents, query, next, end))
        return made;
    *invalid = 1;
    judgments_free(made);
    return NULL;
}

void judgments_free(struct judgments *judgments) {
    if (!judgments)
        return;
    free(judgments->bytes);
    free(judgments->starts);
    free(judgments->queries);
    free(judgments->slots);
    free(judgments->numbers);
    free(judgments);
}

/* Whether a text has the same bytes as one with the same hash and size, the query or document of this number; up to
   eight bytes it has. */
static int same_text(const struct judgments *judgments, size_t number, const uint8_t *text, size_t size) {
    return size <= 8 || memcmp(judgments->bytes + judgments->starts[number], text, size) == 0;
}

int64_t judgments_query(const struct judgments *judgments, const uint8_t *text, size_t size, const uint8_t *end,
                        uint64_t *steps) {
    uint64_t hash = text_hash(text, size, end), slot = hash >> 32 & judgments->mask;
    for (uint32_t number; (number = judgments->numbers[slot]) != 0; slot = (slot + 1) & judgments->mask, ++*steps) {
        const struct query *one = &judgments->queries[number - 1];
        if (one->hash == hash && one->size == size && same_text(judgments, number - 1, text, size))
            return (int64_t)number - 1;
    }
    return -1;
}

uint64_t judgments_bits(const struct judgments *judgments, int64_t query) {
    return query < 0 ? 0 : judgments->queries[query].bits;
}

int64_t judgments_document(const struct judgments *judgments, int64_t query, uint64_t hash, const uint8_t *text,
                           size_t size, uint64_t *steps) {
    const struct query *of = &judgments->queries[query];
    const struct slot *slots = judgments->slots + of->first_slot;
    for (uint64_t at = hash >> 32 & of->mask; slots[at].judgment; at = (at + 1) & of->mask, ++*steps) {
        size_t judgment = slots[at].judgment - 1;
        if (slots[at].hash == hash && slots[at].size == size &&
            same_text(judgments, judgments->count + judgment, text, size))
            return (int64_t)judgment;
    }
    return -1;
}

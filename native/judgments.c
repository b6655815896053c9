#include "judgments.h"

#include <stdlib.h>

#include "portable.h"

#define MULTIPLIER 0x9E3779B97F4A7C15u

struct query {
    uint64_t start;      /* of its text */
    uint64_t size;
    uint64_t first_slot; /* of its documents */
    uint64_t mask;
};

struct document {
    uint64_t start, size;
};

struct judgments {
    uint8_t *bytes; /* of all queries and documents */
    struct query *queries;
    struct document *documents;
    struct judged_slot *slots;   /* the documents, a table for each query */
    struct judged_slot *numbers; /* the queries; `judgment` is the number */
    uint64_t mask;
};

uint64_t text_hash(const uint8_t *text, size_t size, const uint8_t *end) {
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

static void insert(struct judged_slot *slots, uint64_t mask, uint64_t hash, int64_t judgment) {
    uint64_t slot = hash >> 32 & mask;
    while (slots[slot].judgment >= 0)
        slot = (slot + 1) & mask;
    slots[slot].hash = hash;
    slots[slot].judgment = judgment;
}

static struct judged_slot *empty_slots(uint64_t count) {
    struct judged_slot *slots = count < SIZE_MAX / sizeof *slots ? malloc(count * sizeof *slots) : NULL;
    for (uint64_t slot = 0; slots && slot < count; slot++)
        slots[slot].judgment = -1;
    return slots;
}

/* The sum of the sizes; -1 if a slice is out of bounds. */
static int64_t total_size(const struct texts *texts) {
    int64_t total = 0;
    for (size_t row = 0; row < texts->count; row++) {
        int64_t start = texts->starts[row], end = texts->ends[row];
        if (start < 0 || end < start || (uint64_t)end > texts->size || total > INT64_MAX - (end - start))
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
        made->queries[number].mask = size - 1;
        next += size;
    }
    return next;
}

static void fill(struct judgments *made, const struct texts *queries, const struct texts *documents,
                 const int64_t *query, size_t size) {
    uint64_t next = 0;
    const uint8_t *end = made->bytes + size;
    for (size_t row = 0; row < queries->count; row++) {
        struct query *one = &made->queries[row];
        one->start = next;
        one->size = (uint64_t)(queries->ends[row] - queries->starts[row]);
        memcpy(made->bytes + next, queries->buffer + queries->starts[row], one->size);
        insert(made->numbers, made->mask, text_hash(made->bytes + next, one->size, end), (int64_t)row);
        next += one->size;
    }
    for (size_t row = 0; row < documents->count; row++) {
        struct document *one = &made->documents[row];
        const struct query *of = &made->queries[query[row]];
        one->start = next;
        one->size = (uint64_t)(documents->ends[row] - documents->starts[row]);
        memcpy(made->bytes + next, documents->buffer + documents->starts[row], one->size);
        insert(made->slots + of->first_slot, of->mask, text_hash(made->bytes + next, one->size, end), (int64_t)row);
        next += one->size;
    }
}

struct judgments *judgments_new(const struct texts *queries, const struct texts *documents, const int64_t *query,
                                int *invalid) {
    int64_t sizes[2] = {total_size(queries), total_size(documents)};
    *invalid = sizes[0] < 0 || sizes[1] < 0 || queries->count == 0;
    struct judgments *made = *invalid ? NULL : calloc(1, sizeof *made);
    if (!made)
        return NULL;
    size_t size = (size_t)(sizes[0] + sizes[1]);
    made->bytes = malloc(size ? size : 1);
    made->queries = calloc(queries->count, sizeof *made->queries);
    made->documents = calloc(documents->count + 1, sizeof *made->documents);
    uint64_t slots = made->queries ? share_slots(made, queries->count, query, documents->count) : 0;
    *invalid = made->queries && !slots;
    made->slots = slots ? empty_slots(slots) : NULL;
    made->mask = table_size(queries->count) - 1;
    made->numbers = empty_slots(made->mask + 1);
    if (!made->bytes || !made->documents || !made->slots || !made->numbers) {
        judgments_free(made);
        return NULL;
    }
    fill(made, queries, documents, query, size);
    return made;
}

void judgments_free(struct judgments *judgments) {
    if (!judgments)
        return;
    free(judgments->bytes);
    free(judgments->queries);
    free(judgments->documents);
    free(judgments->slots);
    free(judgments->numbers);
    free(judgments);
}

int64_t judgments_query(const struct judgments *judgments, const uint8_t *text, size_t size, const uint8_t *end) {
    uint64_t hash = text_hash(text, size, end), slot = hash >> 32 & judgments->mask;
    for (; judgments->numbers[slot].judgment >= 0; slot = (slot + 1) & judgments->mask) {
        const struct query *found = &judgments->queries[judgments->numbers[slot].judgment];
        if (judgments->numbers[slot].hash == hash && found->size == size &&
            memcmp(judgments->bytes + found->start, text, size) == 0)
            return judgments->numbers[slot].judgment;
    }
    return -1;
}

struct judged_documents judgments_of(const struct judgments *judgments, int64_t query) {
    const struct query *one = &judgments->queries[query];
    return (struct judged_documents){judgments->slots + one->first_slot, one->mask};
}

int judgments_same(const struct judgments *judgments, int64_t judgment, const uint8_t *text, size_t size) {
    const struct document *one = &judgments->documents[judgment];
    return one->size == size && memcmp(judgments->bytes + one->start, text, size) == 0;
}

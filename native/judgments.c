#include "judgments.h"

#include <stdlib.h>

#include "portable.h"

#define LONGEST (INT64_C(1) << 30) /* bytes of a text */
#define MOST ((size_t)1 << 30)     /* texts */

struct judged_slot {
    uint64_t hash;
    int64_t judgment; /* -1: empty */
};

struct query {
    uint64_t start;      /* of its text */
    uint64_t first_slot; /* of its documents */
    uint64_t bits;       /* of the hashes of its documents, see judged_bit */
    uint32_t size, mask;
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

static void fill(struct judgments *made, const struct texts *queries, const struct texts *documents,
                 const int64_t *query, size_t size) {
    uint64_t next = 0;
    const uint8_t *end = made->bytes + size;
    for (size_t row = 0; row < queries->count; row++) {
        struct query *one = &made->queries[row];
        one->start = next;
        one->size = (uint32_t)(queries->ends[row] - queries->starts[row]);
        memcpy(made->bytes + next, queries->buffer + queries->starts[row], one->size);
        insert(made->numbers, made->mask, text_hash(made->bytes + next, one->size, end), (int64_t)row);
        next += one->size;
    }
    for (size_t row = 0; row < documents->count; row++) {
        struct document *one = &made->documents[row];
        struct query *of = &made->queries[query[row]];
        one->start = next;
        one->size = (uint64_t)(documents->ends[row] - documents->starts[row]);
        memcpy(made->bytes + next, documents->buffer + documents->starts[row], one->size);
        uint64_t hash = text_hash(made->bytes + next, one->size, end);
        insert(made->slots + of->first_slot, of->mask, hash, (int64_t)row);
        of->bits |= judged_bit(hash);
        next += one->size;
    }
}

struct judgments *judgments_new(const struct texts *queries, const struct texts *documents, const int64_t *query,
                                int *invalid) {
    int64_t sizes[2] = {total_size(queries), total_size(documents)};
    *invalid = sizes[0] < 0 || sizes[1] < 0 || queries->count == 0 || documents->count > MOST;
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

/* Whether texts with the same hash are the same; the hash of up to eight bytes tells them apart by itself. */
static int same_text(const uint8_t *known, uint64_t known_size, const uint8_t *text, size_t size) {
    return known_size == size && (size <= 8 || memcmp(known, text, size) == 0);
}

int64_t judgments_query(const struct judgments *judgments, const uint8_t *text, size_t size, const uint8_t *end) {
    uint64_t hash = text_hash(text, size, end), slot = hash >> 32 & judgments->mask;
    for (; judgments->numbers[slot].judgment >= 0; slot = (slot + 1) & judgments->mask) {
        const struct query *one = &judgments->queries[judgments->numbers[slot].judgment];
        if (judgments->numbers[slot].hash == hash && same_text(judgments->bytes + one->start, one->size, text, size))
            return judgments->numbers[slot].judgment;
    }
    return -1;
}

uint64_t judgments_bits(const struct judgments *judgments, int64_t query) {
    return query < 0 ? 0 : judgments->queries[query].bits;
}

int64_t judgments_document(const struct judgments *judgments, int64_t query, uint64_t hash, const uint8_t *text,
                           size_t size) {
    const struct query *of = &judgments->queries[query];
    const struct judged_slot *slots = judgments->slots + of->first_slot;
    for (uint64_t slot = hash >> 32 & of->mask; slots[slot].judgment >= 0; slot = (slot + 1) & of->mask) {
        const struct document *one = &judgments->documents[slots[slot].judgment];
        if (slots[slot].hash == hash && same_text(judgments->bytes + one->start, one->size, text, size))
            return slots[slot].judgment;
    }
    return -1;
}

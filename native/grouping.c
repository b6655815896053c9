#include "grouping.h"

#include <stdlib.h>

#include "portable.h"

struct line {
    uint64_t hash; /* of the query */
    uint32_t start, size;
    uint32_t group; /* at first, whether the line has a query */
};

struct lines {
    const uint8_t *bytes, *end;
    struct line *all;
    size_t count;
};

/* ---- lines and their queries ---- */

/* The number of bytes before the first one up to a space, of which there is one before `end`. */
static inline size_t field_size(const uint8_t *at, const uint8_t *end) {
    for (size_t size = 0;; size += 8) {
        size_t left = (size_t)(end - at) - size;
        uint64_t word = load_bytes(at + size, smaller(left, 8), end);
        uint64_t white = (word - 0x2121212121212121u) & ~word & 0x8080808080808080u; /* the lowest bit is exact */
        if (white)
            return size + low_zeros(white) / 8;
    }
}

/* Whether a line has a query, whose hash is set then; as in `split_fields`, fields end at any byte up to a space. */
static inline int hash_query(const uint8_t *at, const uint8_t *end, uint64_t *hash) {
    while (*at <= ' ' && *at != '\n')
        at++;
    size_t size = field_size(at, end);
    if (!size || *at == '#')
        return 0;
    *hash = span_hash(at, size, end);
    return 1;
}

static enum outcome find_lines(struct lines *lines, const uint8_t *bytes, size_t size) {
    memset(lines, 0, sizeof *lines);
    if (size == 0 || size > MOST_BYTES || bytes[size - 1] != '\n')
        return NOT_REGULAR;
    lines->bytes = bytes;
    lines->end = bytes + size;
    size_t count = count_lines(bytes, size);
    lines->all = count < SIZE_MAX / sizeof *lines->all ? malloc(count * sizeof *lines->all) : NULL;
    if (!lines->all)
        return NO_MEMORY;
    uint64_t hash = 0;
    int known = 0;
    for (const uint8_t *at = bytes; at < lines->end;) {
        const uint8_t *next = (const uint8_t *)memchr(at, '\n', (size_t)(lines->end - at)) + 1;
        int has_query = hash_query(at, lines->end, &hash);
        if (has_query && !known)
            for (size_t before = 0; before < lines->count; before++)
                lines->all[before].hash = hash;
        known |= has_query;
        lines->all[lines->count++] =
            (struct line){hash, (uint32_t)(at - bytes), (uint32_t)(next - at), (uint32_t)has_query};
        at = next;
    }
    return known ? MATCHED : NOT_REGULAR;
}

/* Copies the lines group by group; `ends` has 0 for each group before, and afterwards where it ends. */
static void move_lines(const struct lines *lines, size_t groups, uint8_t *into, int64_t *ends) {
    for (size_t at = 0; at < lines->count; at++)
        ends[lines->all[at].group] += lines->all[at].size;
    int64_t next = 0;
    for (size_t group = 0; group < groups; group++) {
        int64_t size = ends[group];
        ends[group] = next;
        next += size;
    }
    for (size_t at = 0; at < lines->count; at++) {
        const struct line *line = &lines->all[at];
        memcpy(into + ends[line->group], lines->bytes + line->start, line->size);
        ends[line->group] += line->size;
    }
}

/* ---- groups ---- */

enum outcome bucket_lines(const uint8_t *bytes, size_t size, unsigned bits, uint8_t *into, int64_t *ends,
                          int64_t *rows) {
    struct lines lines = {NULL, NULL, NULL, 0};
    enum outcome outcome = bits && bits <= MOST_BUCKET_BITS ? find_lines(&lines, bytes, size) : NOT_REGULAR;
    if (outcome == MATCHED) {
        size_t buckets = (size_t)1 << bits;
        memset(ends, 0, buckets * sizeof *ends);
        memset(rows, 0, buckets * sizeof *rows);
        for (size_t at = 0; at < lines.count; at++) {
            uint32_t bucket = (uint32_t)(lines.all[at].hash >> (64 - bits));
            rows[bucket] += lines.all[at].group;
            lines.all[at].group = bucket;
        }
        move_lines(&lines, buckets, into, ends);
    }
    free(lines.all);
    return outcome;
}

/* Numbers the hashes in the order of their first lines; `slots` are zero, twice as many as lines or more. The number of
   groups, 0 if too many steps were needed. */
static size_t number_groups(struct lines *lines, uint32_t *slots, uint32_t mask) {
    size_t groups = 0;
    uint64_t steps = 0;
    for (size_t at = 0; at < lines->count; at++) {
        struct line *line = &lines->all[at];
        uint32_t slot = (uint32_t)line->hash & mask;
        while (slots[slot] && lines->all[slots[slot] - 1].hash != line->hash) {
            slot = (slot + 1) & mask;
            steps++;
        }
        if (are_made_to_collide(steps, lines->count))
            return 0;
        if (!slots[slot]) {
            slots[slot] = (uint32_t)at + 1;
            line->group = (uint32_t)groups++;
        }
        line->group = lines->all[slots[slot] - 1].group;
    }
    return groups;
}

/* Sets the groups of lines by the hash; their number is set. */
static enum outcome find_groups(struct lines *lines, size_t *groups) {
    size_t room = 16;
    while (room < 2 * lines->count)
        room *= 2;
    uint32_t *slots = calloc(room, sizeof *slots);
    if (!slots)
        return NO_MEMORY;
    *groups = number_groups(lines, slots, (uint32_t)(room - 1));
    free(slots);
    return *groups ? MATCHED : NOT_REGULAR;
}

enum outcome group_lines(const uint8_t *bytes, size_t size, uint8_t *into) {
    struct lines lines;
    size_t groups = 0;
    enum outcome outcome = find_lines(&lines, bytes, size);
    if (outcome == MATCHED)
        outcome = find_groups(&lines, &groups);
    int64_t *ends = groups ? calloc(groups, sizeof *ends) : NULL;
    if (ends)
        move_lines(&lines, groups, into, ends);
    else if (groups)
        outcome = NO_MEMORY;
    free(ends);
    free(lines.all);
    return outcome;
}

#include "pieces.h"

#include <stdlib.h>

#include "portable.h"

#define FEW_SLOTS 1024 /* a power of two */
#define FACTOR 0x9E3779B97F4A7C15u

struct slot {
    uint64_t hash;
    int64_t number; /* -1 if the slot is empty */
};

struct pieces {
    uint64_t seed, mask;
    struct slot *slots;
    size_t count, room;
    size_t *starts; /* of each piece in `bytes`, and the end of the last one */
    uint8_t *bytes; /* all pieces, a space after each */
    size_t bytes_room;
};

static struct slot *empty_slots(uint64_t count) {
    struct slot *slots = count < SIZE_MAX / sizeof *slots ? malloc((size_t)count * sizeof *slots) : NULL;
    for (uint64_t slot = 0; slots && slot < count; slot++)
        slots[slot].number = -1;
    return slots;
}

static inline uint64_t mixed(uint64_t left, uint64_t right) {
    uint64_t low, high = wide_product(left, right, &low);
    return high ^ low;
}

struct pieces *pieces_new(uint64_t seed) {
    struct pieces *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->seed = mixed(seed ^ FACTOR, FACTOR); /* with high bits also of a small seed */
    made->mask = FEW_SLOTS - 1;
    made->slots = empty_slots(FEW_SLOTS);
    made->room = FEW_SLOTS / 2;
    made->starts = calloc(made->room + 1, sizeof *made->starts);
    made->bytes_room = 16 * FEW_SLOTS;
    made->bytes = malloc(made->bytes_room);
    if (made->slots && made->starts && made->bytes)
        return made;
    pieces_free(made);
    return NULL;
}

void pieces_free(struct pieces *pieces) {
    if (!pieces)
        return;
    free(pieces->slots);
    free(pieces->starts);
    free(pieces->bytes);
    free(pieces);
}

/* A hash that depends on the seed throughout, so that nobody can write texts whose pieces collide. */
static inline uint64_t hash_of(uint64_t seed, const uint8_t *text, size_t size, const uint8_t *end) {
    uint64_t hash = seed ^ size;
    for (; size > 8; size -= 8, text += 8)
        hash = mixed(hash ^ load_word(text), FACTOR);
    return mixed(hash ^ load_bytes(text, size, end), seed | 1);
}

static inline struct slot *find(const struct pieces *pieces, uint64_t hash, const uint8_t *text, size_t size) {
    for (uint64_t at = hash & pieces->mask;; at = (at + 1) & pieces->mask) {
        struct slot *slot = &pieces->slots[at];
        if (slot->number < 0)
            return slot;
        const size_t *starts = pieces->starts + slot->number;
        if (slot->hash == hash && starts[1] - starts[0] == size + 1 && !memcmp(pieces->bytes + starts[0], text, size))
            return slot;
    }
}

/* Twice as many slots, and room for half as many pieces. */
static int grow(struct pieces *pieces) {
    uint64_t count = 2 * (pieces->mask + 1);
    size_t *starts = realloc(pieces->starts, (count / 2 + 1) * sizeof *starts);
    if (!starts)
        return 0;
    pieces->starts = starts;
    struct slot *slots = empty_slots(count);
    if (!slots)
        return 0;
    for (uint64_t old = 0; old <= pieces->mask; old++) {
        uint64_t at = pieces->slots[old].hash & (count - 1);
        if (pieces->slots[old].number < 0)
            continue;
        while (slots[at].number >= 0)
            at = (at + 1) & (count - 1);
        slots[at] = pieces->slots[old];
    }
    free(pieces->slots);
    pieces->slots = slots;
    pieces->mask = count - 1;
    pieces->room = count / 2;
    return 1;
}

static int reserve_bytes(struct pieces *pieces, size_t size) {
    size_t needed = pieces->starts[pieces->count] + size;
    if (needed <= pieces->bytes_room)
        return 1;
    uint8_t *bytes = needed < SIZE_MAX / 2 ? realloc(pieces->bytes, 2 * needed) : NULL;
    if (!bytes)
        return 0;
    pieces->bytes = bytes;
    pieces->bytes_room = 2 * needed;
    return 1;
}

static int64_t add(struct pieces *pieces, struct slot *slot, uint64_t hash, const uint8_t *text, size_t size) {
    if (!reserve_bytes(pieces, size + 1))
        return -1;
    size_t start = pieces->starts[pieces->count];
    memcpy(pieces->bytes + start, text, size);
    pieces->bytes[start + size] = ' ';
    slot->hash = hash;
    slot->number = (int64_t)pieces->count++;
    pieces->starts[pieces->count] = start + size + 1;
    return slot->number;
}

/* The number of a piece; -1 if memory is lacking. */
static inline int64_t number_of(struct pieces *pieces, const uint8_t *text, size_t size, const uint8_t *end) {
    if (pieces->count == pieces->room && !grow(pieces))
        return -1;
    uint64_t hash = hash_of(pieces->seed, text, size, end);
    struct slot *slot = find(pieces, hash, text, size);
    return slot->number >= 0 ? slot->number : add(pieces, slot, hash, text, size);
}

static int append(struct piece_numbers *numbers, int64_t value) {
    if (numbers->count == numbers->room) {
        size_t room = 2 * numbers->room + 256;
        int64_t *values = realloc(numbers->values, room * sizeof *values);
        if (!values)
            return 0;
        numbers->values = values;
        numbers->room = room;
    }
    numbers->values[numbers->count++] = value;
    return 1;
}

/* The number of bytes of the blank at `at`, 0 if there is none: U+0009 to U+000D, U+001C to U+0020, U+0085, U+00A0,
   U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000. */
static inline size_t blank_at(const uint8_t *at, const uint8_t *end) {
    if (*at <= 0x20)
        return (*at >= 0x09 && *at <= 0x0D) || *at >= 0x1C;
    if (*at < 0xC2 || *at > 0xE3 || end - at < 2)
        return 0;
    if (*at == 0xC2)
        return at[1] == 0x85 || at[1] == 0xA0 ? 2 : 0;
    if (*at < 0xE1 || end - at < 3)
        return 0;
    switch (at[0] << 16 | at[1] << 8 | at[2]) {
    case 0xE19A80:
    case 0xE280A8:
    case 0xE280A9:
    case 0xE280AF:
    case 0xE2819F:
    case 0xE38080:
        return 3;
    default:
        return at[0] == 0xE2 && at[1] == 0x80 && at[2] >= 0x80 && at[2] <= 0x8A ? 3 : 0;
    }
}

int number_pieces(struct pieces *pieces, const uint8_t *text, size_t size, struct piece_numbers *numbers) {
    const uint8_t *at = text, *end = text + size;
    while (at < end) {
        size_t blank = blank_at(at, end);
        if (blank) {
            at += blank;
            continue;
        }
        const uint8_t *start = at;
        do
            at++;
        while (at < end && !blank_at(at, end));
        int64_t number = number_of(pieces, start, (size_t)(at - start), end);
        if (number < 0 || !append(numbers, number))
            return 0;
    }
    return 1;
}

size_t pieces_count(const struct pieces *pieces) {
    return pieces->count;
}

const uint8_t *pieces_from(const struct pieces *pieces, size_t first, size_t *size) {
    *size = pieces->starts[pieces->count] - pieces->starts[first];
    return pieces->bytes + pieces->starts[first];
}

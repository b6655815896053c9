#include "overlaps.h"

#include <stdlib.h>

#include "portable.h"

#define MULTIPLIER 0x9E3779B97F4A7C15u
#define NONE UINT32_MAX

struct slot {
    uint64_t key;
    uint32_t number;
    uint32_t used; /* the table's stamp, if the slot is taken */
};

/* A hash table that is emptied by a new stamp. */
struct table {
    struct slot *slots;
    unsigned shift;
    uint32_t stamp, count;
};

static int table_clear(struct table *table, size_t count) {
    unsigned bits = 4;
    while ((size_t)1 << bits < 2 * count)
        bits++;
    table->count = 0;
    if (table->slots && 64 - bits >= table->shift && table->stamp < UINT32_MAX) {
        table->stamp++;
        return 1;
    }
    free(table->slots);
    table->slots = calloc((size_t)1 << bits, sizeof *table->slots);
    table->shift = 64 - bits;
    table->stamp = 1;
    return table->slots != NULL;
}

static inline struct slot *table_find(const struct table *table, uint64_t key) {
    uint64_t mask = ((uint64_t)1 << (64 - table->shift)) - 1;
    uint64_t slot = (key ^ key >> 32) * MULTIPLIER >> table->shift;
    while (table->slots[slot].used == table->stamp && table->slots[slot].key != key)
        slot = (slot + 1) & mask;
    return &table->slots[slot];
}

/* The number of a key, NONE if it is new. */
static inline uint32_t table_get(const struct table *table, uint64_t key) {
    const struct slot *slot = table_find(table, key);
    return slot->used == table->stamp ? slot->number : NONE;
}

/* The number of a key; a new key gets the next one. */
static inline uint32_t table_add(struct table *table, uint64_t key) {
    struct slot *slot = table_find(table, key);
    if (slot->used != table->stamp) {
        slot->key = key;
        slot->number = table->count++;
        slot->used = table->stamp;
    }
    return slot->number;
}

struct work {
    struct table tokens, bigrams;
    size_t room;
    uint32_t *left, *right; /* numbers of the tokens of both texts, NONE where the reference lacks them */
    uint32_t *count;        /* how often the reference has a token, or a bigram, and the prediction has not yet */
    uint64_t *masks;        /* where 64 tokens of the reference are, for each number */
    uint8_t *carry;
};

static void work_free(struct work *work) {
    free(work->tokens.slots);
    free(work->bigrams.slots);
    free(work->left);
    free(work->right);
    free(work->count);
    free(work->masks);
    free(work->carry);
}

static int work_reserve(struct work *work, size_t size) {
    if (work->room && size <= work->room)
        return 1;
    struct table tokens = work->tokens, bigrams = work->bigrams;
    work->tokens.slots = work->bigrams.slots = NULL;
    work_free(work);
    memset(work, 0, sizeof *work);
    work->tokens = tokens;
    work->bigrams = bigrams;
    size_t room = size + size / 2 + 64;
    work->left = malloc(room * sizeof *work->left);
    work->right = malloc(room * sizeof *work->right);
    work->count = malloc(room * sizeof *work->count);
    work->masks = calloc(room, sizeof *work->masks);
    work->carry = malloc(room);
    work->room = work->left && work->right && work->count && work->masks && work->carry ? room : 0;
    return work->room != 0;
}

static inline uint64_t pair_of(uint32_t first, uint32_t second) {
    return (uint64_t)first << 32 | second;
}

/* Tokens of the prediction that the reference has, each as often as the reference has it. */
static int64_t shared_tokens(struct work *work, size_t rows, size_t columns, int64_t *present) {
    memset(work->count, 0, work->tokens.count * sizeof *work->count);
    for (size_t column = 0; column < columns; column++)
        work->count[work->right[column]]++;
    int64_t shared = 0;
    for (size_t row = 0; row < rows; row++)
        if (work->left[row] != NONE && work->count[work->left[row]]) {
            work->count[work->left[row]]--;
            shared++;
        }
    /* a token occurs in the prediction if at least one was taken: mark these, then count the reference */
    memset(work->carry, 0, work->tokens.count);
    for (size_t row = 0; row < rows; row++)
        if (work->left[row] != NONE)
            work->carry[work->left[row]] = 1;
    *present = 0;
    for (size_t column = 0; column < columns; column++)
        *present += work->carry[work->right[column]];
    return shared;
}

static int shared_bigrams(struct work *work, size_t rows, size_t columns, int64_t *shared) {
    *shared = 0;
    if (rows < 2 || columns < 2)
        return 1;
    if (!table_clear(&work->bigrams, columns))
        return 0;
    memset(work->count, 0, columns * sizeof *work->count);
    for (size_t column = 1; column < columns; column++)
        work->count[table_add(&work->bigrams, pair_of(work->right[column - 1], work->right[column]))]++;
    for (size_t row = 1; row < rows; row++) {
        if (work->left[row - 1] == NONE || work->left[row] == NONE)
            continue;
        uint32_t number = table_get(&work->bigrams, pair_of(work->left[row - 1], work->left[row]));
        if (number != NONE && work->count[number]) {
            work->count[number]--;
            ++*shared;
        }
    }
    return 1;
}

/* H. Hyyro, Bit-parallel LCS-length computation revisited, 2004: 64 tokens of the reference at a time, the carries of
   all rows kept for the next 64. `left` has only tokens that the reference has. */
static int64_t longest_subsequence(struct work *work, size_t rows, size_t columns) {
    int64_t length = 0;
    memset(work->carry, 0, rows);
    for (size_t first = 0; first < columns; first += 64) {
        size_t last = smaller(first + 64, columns);
        for (size_t column = first; column < last; column++)
            work->masks[work->right[column]] |= (uint64_t)1 << (column - first);
        uint64_t bits = ~(uint64_t)0;
        for (size_t row = 0; row < rows; row++) {
            uint64_t common = bits & work->masks[work->left[row]], sum = bits + common, total = sum + work->carry[row];
            work->carry[row] = (uint8_t)((sum < bits) | (total < sum));
            bits = total | (bits - common);
        }
        length += count_ones(~bits);
        for (size_t column = first; column < last; column++)
            work->masks[work->right[column]] = 0;
    }
    return length;
}

static int count_pair(struct work *work, const int64_t *left, size_t rows, const int64_t *right, size_t columns,
                      int64_t *counts, size_t step) {
    counts[0] = counts[step] = counts[2 * step] = counts[3 * step] = 0;
    if (!rows || !columns)
        return 1;
    if (!work_reserve(work, rows > columns ? rows : columns) || !table_clear(&work->tokens, columns))
        return 0;
    for (size_t column = 0; column < columns; column++)
        work->right[column] = table_add(&work->tokens, (uint64_t)right[column]);
    size_t known = 0;
    for (size_t row = 0; row < rows; row++) {
        work->left[row] = table_get(&work->tokens, (uint64_t)left[row]);
        known += work->left[row] != NONE;
    }
    if (!known)
        return 1;
    counts[0] = shared_tokens(work, rows, columns, &counts[3 * step]);
    if (!shared_bigrams(work, rows, columns, &counts[step]))
        return 0;
    size_t kept = 0;
    for (size_t row = 0; row < rows; row++) {
        work->left[kept] = work->left[row];
        kept += work->left[row] != NONE;
    }
    counts[2 * step] = longest_subsequence(work, kept, columns);
    return 1;
}

int count_shared(const struct token_texts *predictions, const struct token_texts *references, size_t pairs,
                 int64_t *counts) {
    struct work work;
    memset(&work, 0, sizeof work);
    const int64_t *left = predictions->tokens, *right = references->tokens;
    int done = 1;
    for (size_t pair = 0; pair < pairs && done; pair++) {
        size_t rows = (size_t)predictions->sizes[pair], columns = (size_t)references->sizes[pair];
        done = count_pair(&work, left, rows, right, columns, counts + pair, pairs);
        left += rows;
        right += columns;
    }
    work_free(&work);
    return done;
}

/* Marks the n-grams that a text has. */
static void mark_ngrams(struct work *work, const int64_t *text, size_t size, unsigned n, uint8_t mark) {
    uint32_t before = NONE;
    for (size_t at = 0; at < size; at++) {
        uint32_t number = table_add(&work->tokens, (uint64_t)text[at]);
        if (n == 2 && at) {
            uint32_t bigram = table_add(&work->bigrams, pair_of(before, number));
            work->carry[bigram] |= mark;
        } else if (n == 1) {
            work->carry[number] |= mark;
        }
        before = number;
    }
}

int count_distinct(const struct token_texts *predictions, const struct token_texts *references, size_t pairs,
                   unsigned n, int64_t *counts) {
    struct work work;
    memset(&work, 0, sizeof work);
    const int64_t *left = predictions->tokens, *right = references->tokens;
    int done = 1;
    for (size_t pair = 0; pair < pairs && done; pair++) {
        size_t rows = (size_t)predictions->sizes[pair], columns = (size_t)references->sizes[pair], all = rows + columns;
        done = work_reserve(&work, all) && table_clear(&work.tokens, all) && table_clear(&work.bigrams, all);
        if (!done)
            break;
        memset(work.carry, 0, all);
        mark_ngrams(&work, left, rows, n, 1);
        mark_ngrams(&work, right, columns, n, 2);
        int64_t found[4] = {0};
        for (uint32_t number = 0; number < (n == 1 ? work.tokens.count : work.bigrams.count); number++)
            found[work.carry[number]]++;
        counts[pair] = found[3];
        counts[pairs + pair] = found[1] + found[3];
        counts[2 * pairs + pair] = found[2] + found[3];
        left += rows;
        right += columns;
    }
    work_free(&work);
    return done;
}

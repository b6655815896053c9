/* Mutated inputs for the compiled kernel, without Python: every input stands in a buffer of exactly its size, so that
   AddressSanitizer sees any access beyond it. What the kernel takes is compared with a plain reading of the same lines.

   fuzz_native COUNT SEED */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimals.h"
#include "grouping.h"
#include "lines.h"
#include "overlaps.h"
#include "pieces.h"

#define MOST 900
#define MOST_ROWS 400

static uint64_t state;

static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state * 0x2545F4914F6CDD1Du >> 16) % below;
}

static void fail(const char *what, const uint8_t *bytes, size_t size) {
    fprintf(stderr, "%s\n", what);
    fwrite(bytes, 1, size, stderr);
    abort();
}

static int read_number(void *context, const uint8_t *text, size_t size, double *value) {
    (void)context;
    char copy[MOST + 1];
    memcpy(copy, text, size);
    copy[size] = 0;
    *value = strtod(copy, NULL);
    return 1;
}

/* ---- numbers ---- */

static size_t write_number(char *to) {
    switch (draw(6)) {
    case 0:
        return (size_t)sprintf(to, "%.6f", (double)draw(100000000) / 1e6);
    case 1:
        return (size_t)sprintf(to, "%" PRIu64, draw(10));
    case 2:
        return (size_t)sprintf(to, "%.17g", (double)draw((uint64_t)1 << 47) / (double)(1 + draw(1000000)));
    case 3:
        return (size_t)sprintf(to, "-%" PRIu64 ".%0*" PRIu64, draw(1000), (int)draw(20), draw((uint64_t)1 << 47));
    case 4:
        return (size_t)sprintf(to, "%" PRIu64 "%" PRIu64 "e%d", draw(1000000000), draw(1000000000), (int)draw(60) - 30);
    default:
        return (size_t)sprintf(to, "%.*e", (int)draw(24), (double)draw((uint64_t)1 << 47) / 3e9);
    }
}

/* A number alone: the same double as strtod, at the start of a buffer and after other bytes. */
static void try_number(void) {
    char text[128];
    size_t size = write_number(text), before = draw(2) * (16 + draw(8));
    for (uint64_t times = draw(3); times; times--)
        text[draw(size)] = "0123456789.eE+-_ x"[draw(18)];
    uint8_t *buffer = malloc(before + size);
    memset(buffer, '7', before);
    memcpy(buffer + before, text, size);
    text[size] = 0;
    double value = 0, expected = strtod(text, NULL);
    if (read_decimal(buffer, buffer + before, buffer + before + size, &value) == NUMBER_EXACT &&
        memcmp(&value, &expected, sizeof value) != 0)
        fail("another double", (uint8_t *)text, size);
    free(buffer);
}

/* ---- run lines ---- */

static const char *QUERIES[] = {"1", "22", "query-10", "a-query-of-more-than-sixteen-bytes", "q\xC3\xA9"};
static const char *DOCUMENTS[] = {"d1", "d2", "D", "FR94-1234567", "FR94-12345678", "aaaaaaaa", "aaaaaaaaa",
                                  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\xE6\x96\x87", "~", "0", "00", "000", "x"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static size_t write_lines(char *to) {
    size_t size = 0;
    const char *gap = draw(4) ? " " : draw(2) ? "\t" : "  ";
    for (uint64_t queries = 1 + draw(3), first = draw(COUNT(QUERIES)), query = 0; query < queries; query++) {
        uint64_t document = draw(COUNT(DOCUMENTS)), lines = 1 + draw(8);
        for (uint64_t line = 1; line <= lines && size < MOST - 300; line++) {
            char number[128];
            if (draw(3))
                sprintf(number, "%" PRIu64, draw(4) ? 9 - line % 10 : draw(3));
            else
                write_number(number);
            size += (size_t)sprintf(to + size, "%s%sQ0%s%s%s%" PRIu64 "%s%s%s\n", QUERIES[(first + query) % COUNT(QUERIES)],
                                    gap, gap, DOCUMENTS[(document + line * 5) % COUNT(DOCUMENTS)], gap, draw(20) ? line : draw(9),
                                    gap, number, draw(9) ? " t" : "");
        }
    }
    return size;
}

static size_t damage(uint8_t *bytes, size_t size) {
    static const uint8_t ODD[] = "\n \t\r\0#\x0B\x7F\x80\xBF\xC3\xED\xF4\xFFn.e-+0";
    for (uint64_t times = draw(4); times && size > 2; times--) {
        size_t at = draw(size);
        uint8_t odd = draw(2) ? ODD[draw(sizeof ODD - 1)] : (uint8_t)draw(256);
        switch (draw(4)) {
        case 0:
            bytes[at] = odd;
            break;
        case 1:
            memmove(bytes + at, bytes + at + 1, size - at - 1);
            size--;
            break;
        case 2:
            if (size < MOST) {
                memmove(bytes + at + 1, bytes + at, size - at);
                bytes[at] = odd;
                size++;
            }
            break;
        default: /* torn */
            size = draw(4) ? size : at + 1;
            if (draw(2))
                bytes[size - 1] = '\n';
        }
    }
    return size;
}

struct plain {
    char *query, *document;
    double score;
};

static int above(const struct plain *left, const struct plain *right) {
    return left->score != right->score ? left->score > right->score : strcmp(left->document, right->document) > 0;
}

/* Compares the number of judged documents and the sum of their ranks with a plain reading of the lines. */
static void check(const uint8_t *bytes, size_t size, const struct options *options, const struct matches *found) {
    char text[MOST + 1];
    struct plain rows[MOST_ROWS];
    size_t count = 0, hits = 0;
    uint64_t ranks = 0, expected = 0;
    memcpy(text, bytes, size);
    text[size] = 0;
    for (char *line = text, *next; line < text + size; line = next) {
        next = strchr(line, '\n') + 1;
        next[-1] = 0;
        char *fields[5];
        for (int column = 0; column < 5; column++)
            fields[column] = strtok(column ? NULL : line, " \t\r");
        rows[count].query = fields[0];
        rows[count].document = fields[2];
        rows[count].score = options->single_precision ? (float)strtod(fields[4], NULL) : strtod(fields[4], NULL);
        count++;
    }
    if ((int64_t)count != found->lines)
        fail("another number of lines", bytes, size);
    for (size_t at = 0; at < count; at++) {
        int judged = (strcmp(rows[at].query, QUERIES[0]) == 0 || strcmp(rows[at].query, QUERIES[3]) == 0);
        for (size_t document = 0; judged && document < COUNT(DOCUMENTS); document += 2) {
            if (strcmp(rows[at].document, DOCUMENTS[document]) != 0)
                continue;
            hits++;
            expected++;
            for (size_t other = 0; other < count; other++)
                expected += strcmp(rows[other].query, rows[at].query) == 0 && above(&rows[other], &rows[at]);
        }
    }
    for (size_t at = 0; at < found->rank.count; at++)
        ranks += (uint64_t)found->rank.values[at];
    if (hits != found->hit.count || ranks != expected)
        fail("other ranks", bytes, size);
}

static struct judgments *make_judgments(void) {
    static uint8_t buffer[1024];
    static int64_t starts[64], ends[64], query[64], query_starts[2], query_ends[2];
    size_t size = 0, count = 0;
    for (int number = 0; number < 2; number++) {
        const char *text = QUERIES[3 * number];
        query_starts[number] = (int64_t)size;
        memcpy(buffer + size, text, strlen(text));
        query_ends[number] = (int64_t)(size += strlen(text));
        for (size_t document = 0; document < COUNT(DOCUMENTS); document += 2) {
            size_t length = strlen(DOCUMENTS[document]);
            starts[count] = (int64_t)size;
            memcpy(buffer + size, DOCUMENTS[document], length);
            ends[count] = (int64_t)(size += length);
            query[count++] = number;
        }
    }
    struct texts queries = {buffer, size, query_starts, query_ends, 2}, documents = {buffer, size, starts, ends, count};
    int invalid;
    return judgments_new(&queries, &documents, query, &invalid);
}

static int try_lines(const struct judgments *judgments) {
    char text[MOST + 600];
    size_t size = write_lines(text);
    size = damage((uint8_t *)text, size);
    uint8_t *buffer = malloc(size);
    memcpy(buffer, text, size);
    struct options options = {(int)draw(2), draw(3) ? 0 : draw(5), read_number, NULL};
    struct matches found;
    enum outcome outcome = match_rows(buffer, size, NULL, judgments, &options, &found);
    if (outcome == MATCHED)
        check(buffer, size, &options, &found);
    matches_free(&found);
    free(buffer);
    return outcome == MATCHED;
}

/* ---- columns ---- */

/* The rows of regular lines as columns, in buffers of exactly their size; `lengths` and `scores` have room for all. */
static uint8_t *as_columns(const uint8_t *lines, size_t size, struct columns *columns, int64_t *lengths,
                           double *scores, size_t *total) {
    char text[MOST + 1], queries[2 * MOST], documents[2 * MOST], *before = NULL;
    size_t filled = 0;
    memcpy(text, lines, size);
    text[size] = 0;
    *columns = (struct columns){0, 0, 0, lengths, scores};
    for (char *line = text, *next; line < text + size; line = next) {
        next = strchr(line, '\n') + 1;
        next[-1] = 0;
        char *fields[5];
        for (int column = 0; column < 5; column++)
            fields[column] = strtok(column ? NULL : line, " \t\r");
        if (!before || strcmp(before, fields[0]) != 0) {
            before = fields[0];
            lengths[columns->queries++] = 0;
            columns->documents += (size_t)sprintf(queries + columns->documents, "%s", before) + 1;
        }
        lengths[columns->queries - 1]++;
        scores[columns->rows++] = strtod(fields[4], NULL);
        filled += (size_t)sprintf(documents + filled, "%s", fields[2]) + 1;
    }
    uint8_t *made = malloc(columns->documents + filled);
    memcpy(made, queries, columns->documents);
    memcpy(made + columns->documents, documents, filled);
    *total = columns->documents + filled;
    return made;
}

/* What is found in regular lines is found in the same rows as columns; damaged ones are never read beyond their end. */
static int try_columns(const struct judgments *judgments) {
    char text[MOST + 600];
    int64_t lengths[MOST_ROWS];
    double scores[MOST_ROWS];
    size_t size = write_lines(text), total;
    struct options options = {(int)draw(2), draw(3) ? 0 : draw(5), read_number, NULL};
    struct matches found;
    enum outcome outcome = match_rows((uint8_t *)text, size, NULL, judgments, &options, &found);
    matches_free(&found);
    if (outcome != MATCHED)
        return 0;
    struct columns columns;
    uint8_t *buffer = as_columns((uint8_t *)text, size, &columns, lengths, scores, &total);
    if (match_rows(buffer, total, &columns, judgments, &options, &found) != MATCHED)
        fail("columns of regular lines", (uint8_t *)text, size);
    check((uint8_t *)text, size, &options, &found);
    matches_free(&found);
    buffer[draw(total)] = draw(2) ? 0 : (uint8_t)draw(256);
    lengths[draw(columns.queries)] += (int64_t)draw(5) - 2;
    columns.documents += draw(3) - 1;
    match_rows(buffer, total - draw(2), &columns, judgments, &options, &found);
    matches_free(&found);
    free(buffer);
    return 1;
}

/* ---- lines of interleaved queries ---- */

struct slice {
    size_t start, size, query, query_size;
    int has_query;
};

/* The lines of a text; one without a query has that of the line before, or the first. 0 if there is none, or if the last
   line has no end. */
static size_t plain_lines(const uint8_t *bytes, size_t size, struct slice *lines) {
    size_t count = 0, first = SIZE_MAX;
    for (size_t start = 0, at = 0; start < size; start = at) {
        while (at < size && bytes[at] <= ' ' && bytes[at] != '\n')
            at++;
        size_t query = at;
        while (at < size && bytes[at] > ' ')
            at++;
        size_t query_size = at - query;
        while (at < size && bytes[at] != '\n')
            at++;
        if (at++ == size)
            return 0;
        int has_query = query_size && bytes[query] != '#';
        if (has_query && first == SIZE_MAX)
            first = count;
        else if (!has_query && count) {
            query = lines[count - 1].query;
            query_size = lines[count - 1].query_size;
        }
        lines[count++] = (struct slice){start, at - start, query, query_size, has_query};
    }
    for (size_t before = 0; first != SIZE_MAX && before < first; before++) {
        lines[before].query = lines[first].query;
        lines[before].query_size = lines[first].query_size;
    }
    return first == SIZE_MAX ? 0 : count;
}

/* The same lines in any order. */
static size_t shuffle_lines(uint8_t *bytes, size_t size) {
    struct slice lines[MOST + 600];
    uint8_t copy[MOST + 600];
    size_t count = plain_lines(bytes, size, lines), filled = 0;
    memcpy(copy, bytes, size);
    for (size_t left = count; left; left--) {
        size_t chosen = draw(4) ? draw(left) : 0;
        memcpy(bytes + filled, copy + lines[chosen].start, lines[chosen].size);
        filled += lines[chosen].size;
        memmove(lines + chosen, lines + chosen + 1, (left - chosen - 1) * sizeof *lines);
    }
    return size;
}

/* The bucket of a line, or with 0 bits the number of the first line with its query. */
static uint64_t plain_group(const uint8_t *bytes, size_t size, const struct slice *lines, size_t at, unsigned bits) {
    const struct slice *line = &lines[at];
    size_t first = 0;
    if (bits)
        return span_hash(bytes + line->query, line->query_size, bytes + size) >> (64 - bits);
    while (lines[first].query_size != line->query_size ||
           memcmp(bytes + lines[first].query, bytes + line->query, line->query_size) != 0)
        first++;
    return first;
}

/* Compares lines in their new order with a plain reading; `ends` and `rows` are those of buckets, if there are bits. */
static void check_groups(const uint8_t *bytes, size_t size, const struct slice *lines, size_t count, unsigned bits,
                         const uint8_t *moved, const int64_t *ends, const int64_t *rows) {
    size_t filled = 0;
    for (uint64_t group = 0; group < (bits ? (uint64_t)1 << bits : count); group++) {
        int64_t found = 0;
        for (size_t at = 0; at < count; at++) {
            if (plain_group(bytes, size, lines, at, bits) != group)
                continue;
            if (memcmp(moved + filled, bytes + lines[at].start, lines[at].size) != 0)
                fail("another order of lines", bytes, size);
            filled += lines[at].size;
            found += lines[at].has_query;
        }
        if (bits && (ends[group] != (int64_t)filled || rows[group] != found))
            fail("other buckets", bytes, size);
    }
    if (filled != size)
        fail("lines without a group", bytes, size);
}

static void try_buckets(const uint8_t *bytes, size_t size, const struct slice *lines, size_t count) {
    unsigned bits = 1 + (unsigned)draw(draw(50) ? 4 : MOST_BUCKET_BITS);
    uint8_t *moved = malloc(size + !size);
    int64_t *ends = malloc(sizeof *ends << bits), *rows = malloc(sizeof *rows << bits);
    enum outcome outcome = bucket_lines(bytes, size, bits, moved, ends, rows);
    if (outcome != (count ? MATCHED : NOT_REGULAR))
        fail("another outcome of buckets", bytes, size);
    if (count && bits <= 8)
        check_groups(bytes, size, lines, count, bits, moved, ends, rows);
    free(moved);
    free(ends);
    free(rows);
}

/* Lines in any order are grouped as by a plain reading; what is found in them then is right for the lines as they were. */
static int try_groups(const struct judgments *judgments) {
    char text[MOST + 600];
    struct slice lines[MOST + 600];
    size_t size = shuffle_lines((uint8_t *)text, write_lines(text));
    size = draw(3) ? size : damage((uint8_t *)text, size);
    uint8_t *buffer = malloc(size), *moved = malloc(size);
    memcpy(buffer, text, size);
    size_t count = plain_lines(buffer, size, lines);
    try_buckets(buffer, size, lines, count);
    enum outcome outcome = group_lines(buffer, size, moved);
    if (outcome != (count ? MATCHED : NOT_REGULAR))
        fail("another outcome", buffer, size);
    struct options options = {(int)draw(2), draw(3) ? 0 : draw(5), read_number, NULL};
    struct matches found = {0};
    if (count) {
        check_groups(buffer, size, lines, count, 0, moved, NULL, NULL);
        outcome = match_rows(moved, size, NULL, judgments, &options, &found);
        if (outcome == MATCHED)
            check(buffer, size, &options, &found);
    }
    matches_free(&found);
    free(buffer);
    free(moved);
    return outcome == MATCHED;
}

/* ---- pairs of token codes ---- */

static size_t subsequence(const int64_t *left, size_t rows, const int64_t *right, size_t columns) {
    size_t before[MOST_ROWS + 1] = {0}, now[MOST_ROWS + 1] = {0};
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < columns; column++) {
            size_t best = before[column + 1] > now[column] ? before[column + 1] : now[column];
            now[column + 1] = left[row] == right[column] ? before[column] + 1 : best;
        }
        memcpy(before, now, (columns + 1) * sizeof *before);
    }
    return before[columns];
}

/* Each n-gram of the left that finds one of the right that is not used yet. */
static size_t clipped(const int64_t *left, size_t rows, const int64_t *right, size_t columns, size_t n) {
    char used[MOST_ROWS] = {0};
    size_t shared = 0;
    for (size_t row = 0; row + n <= rows; row++)
        for (size_t column = 0; column + n <= columns; column++)
            if (!used[column] && memcmp(left + row, right + column, n * sizeof *left) == 0) {
                used[column] = 1;
                shared++;
                break;
            }
    return shared;
}

static int has(const int64_t *text, size_t size, const int64_t *ngram, size_t n) {
    for (size_t at = 0; at + n <= size; at++)
        if (memcmp(text + at, ngram, n * sizeof *text) == 0)
            return 1;
    return 0;
}

/* The distinct n-grams of a text, and those of them that another text has. */
static size_t distinct(const int64_t *text, size_t size, const int64_t *other, size_t others, size_t n, size_t *common) {
    size_t count = *common = 0;
    for (size_t at = 0; at + n <= size; at++)
        if (!has(text, at + n - 1, text + at, n)) {
            count++;
            *common += (size_t)has(other, others, text + at, n);
        }
    return count;
}

static void try_distinct(const struct token_texts *left, const struct token_texts *right, size_t n) {
    int64_t counts[3];
    size_t common, rows = (size_t)*left->sizes, columns = (size_t)*right->sizes;
    if (!count_distinct(left, right, 1, (unsigned)n, counts))
        fail("no memory", NULL, 0);
    if (counts[2] != (int64_t)distinct(right->tokens, columns, left->tokens, rows, n, &common) ||
        counts[1] != (int64_t)distinct(left->tokens, rows, right->tokens, columns, n, &common) ||
        counts[0] != (int64_t)common)
        fail("other n-grams", NULL, 0);
}

static void try_pairs(void) {
    size_t longest = draw(4) ? 12 : draw(4) ? 70 : 200, rows = draw(longest), columns = draw(longest);
    uint64_t kinds = 1 + draw(draw(2) ? 4 : 60);
    int64_t sizes[2] = {(int64_t)rows, (int64_t)columns}, counts[4];
    int64_t *left = malloc(rows * sizeof *left + 1), *right = malloc(columns * sizeof *right + 1);
    for (size_t row = 0; row < rows; row++)
        left[row] = draw(50) ? (int64_t)draw(kinds) : (int64_t)draw((uint64_t)1 << 32);
    for (size_t column = 0; column < columns; column++)
        right[column] = draw(50) ? (int64_t)draw(kinds) : (int64_t)draw((uint64_t)1 << 32);
    struct token_texts predictions = {left, &sizes[0]}, references = {right, &sizes[1]};
    if (!count_shared(&predictions, &references, 1, counts))
        fail("no memory", NULL, 0);
    size_t present = 0;
    for (size_t column = 0; column < columns; column++)
        for (size_t row = 0; row < rows; row++)
            if (left[row] == right[column]) {
                present++;
                break;
            }
    if (counts[0] != (int64_t)clipped(left, rows, right, columns, 1) ||
        counts[1] != (int64_t)clipped(left, rows, right, columns, 2) ||
        counts[2] != (int64_t)subsequence(left, rows, right, columns) || counts[3] != (int64_t)present)
        fail("other counts", NULL, 0);
    try_distinct(&predictions, &references, 1 + draw(2));
    free(left);
    free(right);
}

/* ---- pieces ---- */

static const char *BLANKS[] = {" ",    "\t",   "\n",       "\r",       "\x0B",         "\x0C",
                               "\x1C", "\x1F", "\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\x80",
                               "\xE2\x80\x8A", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F",
                               "\xE3\x80\x80"};

static size_t blank_size(const uint8_t *at, size_t left) {
    for (size_t blank = 0; blank < COUNT(BLANKS); blank++) {
        size_t size = strlen(BLANKS[blank]);
        if (size <= left && memcmp(at, BLANKS[blank], size) == 0)
            return size;
    }
    if (*at >= 0x1C && *at <= 0x1F)
        return 1;
    return left >= 3 && at[0] == 0xE2 && at[1] == 0x80 && at[2] >= 0x80 && at[2] <= 0x8A ? 3 : 0;
}

static size_t write_pieces(uint8_t *to) {
    size_t size = 0;
    for (uint64_t times = draw(40); times && size < MOST - 80; times--) {
        const char *text = draw(2) ? BLANKS[draw(COUNT(BLANKS))] : DOCUMENTS[draw(COUNT(DOCUMENTS))];
        size += (size_t)sprintf((char *)to + size, "%s", text);
        if (!draw(4))
            size += (size_t)sprintf((char *)to + size, " %" PRIu64, draw(draw(2) ? 50 : 1000000));
    }
    return size;
}

/* Equal pieces have equal numbers, and a number has the name of its piece. */
static void check_pieces(const struct pieces *table, const uint8_t *text, size_t size,
                         const struct piece_numbers *numbers) {
    size_t found = 0, known = pieces_count(table), start, end, length;
    for (start = 0; start < size; start = end) {
        size_t blank = blank_size(text + start, size - start);
        end = start + (blank ? blank : 1);
        if (blank)
            continue;
        while (end < size && !blank_size(text + end, size - end))
            end++;
        if (found == numbers->count || numbers->values[found] < 0 || (size_t)numbers->values[found] >= known)
            fail("another number of pieces", text, size);
        const uint8_t *name = pieces_from(table, (size_t)numbers->values[found++], &length);
        if (length < end - start + 1 || memcmp(name, text + start, end - start) != 0 || name[end - start] != ' ')
            fail("another piece", text, size);
    }
    if (found != numbers->count)
        fail("more pieces", text, size);
    for (size_t one = 0; one < found; one++)
        for (size_t other = one; other < found; other++) {
            size_t after, behind;
            const uint8_t *left = pieces_from(table, (size_t)numbers->values[one], &after);
            const uint8_t *right = pieces_from(table, (size_t)numbers->values[other], &behind);
            size_t shorter = after < behind ? after : behind, same = 0;
            while (same < shorter && left[same] == right[same] && left[same] != ' ')
                same++;
            int equal = same < shorter && left[same] == ' ' && right[same] == ' ';
            if (equal != (numbers->values[one] == numbers->values[other]))
                fail("equal pieces with two numbers", text, size);
        }
}

/* The table is kept for many texts, so that it grows. */
static void try_pieces(struct pieces **table) {
    uint8_t text[MOST + 100];
    size_t size = damage(text, write_pieces(text));
    if (!draw(5000)) {
        pieces_free(*table);
        *table = pieces_new(draw((uint64_t)1 << 47));
    }
    uint8_t *buffer = malloc(size + !size);
    memcpy(buffer, text, size);
    struct piece_numbers numbers = {NULL, 0, 0};
    if (!number_pieces(*table, buffer, size, &numbers))
        fail("no memory", NULL, 0);
    check_pieces(*table, buffer, size, &numbers);
    free(numbers.values);
    free(buffer);
}

int main(int count, char **arguments) {
    if (count != 3)
        return 2;
    uint64_t wanted = strtoull(arguments[1], NULL, 10), taken = 0, tried = 0, numbers = 0, pairs = 0, texts = 0,
             mixed = 0, grouped = 0, columns = 0;
    state = strtoull(arguments[2], NULL, 10) * 0x9E3779B97F4A7C15u + 1;
    struct judgments *judgments = make_judgments();
    struct pieces *table = pieces_new(state);
    for (uint64_t input = 0; input < wanted; input++) {
        switch (draw(10)) {
        case 0:
            try_pairs();
            pairs++;
            break;
        case 1:
        case 2:
            try_number();
            numbers++;
            break;
        case 3:
        case 4:
            try_pieces(&table);
            texts++;
            break;
        case 5:
        case 6:
            grouped += (uint64_t)try_groups(judgments);
            mixed++;
            break;
        case 7:
            columns += (uint64_t)try_columns(judgments);
            break;
        default:
            taken += (uint64_t)try_lines(judgments);
            tried++;
        }
    }
    judgments_free(judgments);
    pieces_free(table);
    printf("%" PRIu64 " inputs: %" PRIu64 " blocks of lines (%" PRIu64 " taken), %" PRIu64 " numbers, %" PRIu64
           " pairs, %" PRIu64 " texts in pieces, %" PRIu64
           " blocks of interleaved lines (%" PRIu64 " taken), %" PRIu64 " blocks of columns; no error\n",
           wanted, tried, taken, numbers, pairs, texts, mixed, grouped, columns);
    return 0;
}

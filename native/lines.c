#include "lines.h"

#include <stdlib.h>

#include "decimals.h"
#include "portable.h"

#ifndef AHEAD
#define AHEAD 4096 /* separators that are found before lines are cut */
#endif
#define COLUMNS 5  /* that a line must have: query, Q0, document, rank, score */
#define USUAL 6    /* with the tag */
#define LARGEST_SINGLE 3.4028234663852886e38
#define FEW 4

struct row {
    uint64_t hash;  /* of the document; later its judgment, plus one */
    uint64_t rank;  /* the rank column as a big-endian word; later the rank */
    double score;
    uint32_t start, size; /* of the document */
};

struct ordered {
    double score;
    uint32_t row;
};

struct reader {
    const uint8_t *bytes, *end;
    size_t size, scanned;
    uint32_t separators[AHEAD + 64];
    size_t next, known;
    uint8_t high; /* whether any byte is not ASCII */

    const struct judgments *judgments;
    const struct options *options;
    struct matches *found;

    const uint8_t *query;
    size_t query_size;
    uint64_t query_word; /* its first eight bytes */
    struct row *rows;
    size_t count, room;
    int falling, level, disordered; /* whether the scores strictly fall; whether none rises; whether a rank does not */
    uint64_t *seen;         /* hashes of the documents of a query */
    struct ordered *order;  /* two halves, the second for merging */
    size_t seen_room, order_room;
    uint64_t steps; /* past the slots of others */
};

/* ---- separators: all bytes up to a space ---- */

static uint64_t white_bits(const uint8_t *at, uint8_t *high) {
#ifdef STEELYARD_SSE2
    const __m128i space = _mm_set1_epi8(32);
    __m128i all = _mm_setzero_si128();
    uint64_t bits = 0;
    for (int part = 0; part < 4; part++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * part));
        all = _mm_or_si128(all, bytes);
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes)) << (16 * part);
    }
    *high |= _mm_movemask_epi8(all) != 0;
    return bits;
#else
    uint64_t bits = 0;
    uint8_t all = 0;
    for (int byte = 0; byte < 64; byte++) {
        bits |= (uint64_t)(at[byte] <= 32) << byte;
        all |= at[byte];
    }
    *high |= all >> 7;
    return bits;
#endif
}

size_t count_lines(const uint8_t *bytes, size_t size) {
    size_t count = 0, at = 0;
#ifdef STEELYARD_SSE2
    const __m128i newline = _mm_set1_epi8('\n'), none = _mm_setzero_si128();
    while (size - at >= 16) {
        __m128i counts = none; /* of each of 16 bytes, at most 255 */
        for (int times = 0; times < 255 && size - at >= 16; times++, at += 16)
            counts = _mm_sub_epi8(counts, _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(bytes + at)), newline));
        uint64_t sums[2];
        _mm_storeu_si128((__m128i *)(void *)sums, _mm_sad_epu8(counts, none));
        count += (size_t)(sums[0] + sums[1]);
    }
#endif
    for (; at < size; at++)
        count += bytes[at] == '\n';
    return count;
}

/* Finds more separators; at least USUAL are known afterwards, if there are as many. */
static void look_ahead(struct reader *reader) {
    size_t known = reader->known - reader->next;
    memmove(reader->separators, reader->separators + reader->next, known * sizeof *reader->separators);
    while (known <= AHEAD - 64 && reader->scanned < reader->size) {
        uint8_t last[64];
        const uint8_t *at = reader->bytes + reader->scanned;
        size_t left = reader->size - reader->scanned;
        if (left < 64) {
            memset(last, 'x', 64);
            memcpy(last, at, left);
            at = last;
        }
        for (uint64_t bits = white_bits(at, &reader->high); bits; bits &= bits - 1)
            reader->separators[known++] = (uint32_t)(reader->scanned + low_zeros(bits));
        reader->scanned += smaller(left, 64);
    }
    reader->next = 0;
    reader->known = known;
}

/* Whether all bytes are UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
static int is_utf8(const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        uint8_t lead = *at++;
        if (lead < 0x80)
            continue;
        int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
        if (lead < 0xC2 || lead > 0xF4 || end - at < more)
            return 0;
        uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        if (*at < low || *at > most)
            return 0;
        for (int byte = 1; byte < more; byte++)
            if ((at[byte] & 0xC0) != 0x80)
                return 0;
        at += more;
    }
    return 1;
}

/* ---- results ---- */

static int append(struct column *column, int64_t value) {
    if (column->count == column->room) {
        size_t room = column->room ? 2 * column->room : 256;
        int64_t *values = realloc(column->values, room * sizeof *values);
        if (!values)
            return 0;
        column->values = values;
        column->room = room;
    }
    column->values[column->count++] = value;
    return 1;
}

void matches_free(struct matches *found) {
    free(found->query.values);
    free(found->query_hash.values);
    free(found->length.values);
    free(found->hit.values);
    free(found->rank.values);
    free(found->first.values);
    memset(found, 0, sizeof *found);
}

/* ---- order of documents: score, then id, greatest first ---- */

static int id_above(const struct reader *reader, uint32_t left, uint32_t right) {
    const struct row *one = &reader->rows[left], *other = &reader->rows[right];
    int order = memcmp(reader->bytes + one->start, reader->bytes + other->start, smaller(one->size, other->size));
    return order ? order > 0 : one->size > other->size;
}

/* A merge sort by id; the greatest is first. */
static void sort_by_id(const struct reader *reader, struct ordered *from, struct ordered *spare, size_t count) {
    struct ordered *into = spare, *source = from;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t left = start, middle = smaller(start + width, count), right = middle;
            size_t stop = smaller(start + 2 * width, count), to = start;
            while (left < middle && right < stop)
                into[to++] = source[id_above(reader, source[right].row, source[left].row) ? right++ : left++];
            memcpy(into + to, source + left, (middle - left) * sizeof *into);
            memcpy(into + to + middle - left, source + right, (stop - right) * sizeof *into);
        }
        struct ordered *swapped = source;
        source = into;
        into = swapped;
    }
    if (source != from)
        memcpy(from, source, count * sizeof *from);
}

/* An integer that falls as the score rises; 0.0 and -0.0 have the same. */
static inline uint64_t falling_key(double score) {
    uint64_t bits;
    score += 0.0;
    memcpy(&bits, &score, 8);
    return bits >> 63 ? bits : ~(bits | (uint64_t)1 << 63);
}

/* A radix sort, byte by byte, that keeps the order of equals; bytes that all scores share are left out. */
static void sort_by_score(struct ordered *from, struct ordered *spare, size_t count) {
    uint32_t places[8][256] = {{0}};
    for (size_t at = 0; at < count; at++)
        for (unsigned byte = 0; byte < 8; byte++)
            places[byte][falling_key(from[at].score) >> (8 * byte) & 255]++;
    struct ordered *into = spare, *source = from;
    for (unsigned byte = 0; byte < 8; byte++) {
        if (places[byte][falling_key(source->score) >> (8 * byte) & 255] == count)
            continue;
        for (uint32_t value = 0, next = 0, size; value < 256; value++, next += size) {
            size = places[byte][value];
            places[byte][value] = next;
        }
        for (size_t at = 0; at < count; at++)
            into[places[byte][falling_key(source[at].score) >> (8 * byte) & 255]++] = source[at];
        struct ordered *swapped = source;
        source = into;
        into = swapped;
    }
    if (source != from)
        memcpy(from, source, count * sizeof *from);
}

/* Ranks of the judged documents among documents of the same score; `first` is the place of the first of these. */
static void rank_equals(struct reader *reader, struct ordered *equals, size_t count, size_t first, int all) {
    size_t judged = 0;
    for (size_t at = 0; at < count && judged <= FEW; at++)
        judged += reader->rows[equals[at].row].hash != 0;
    if (all || judged > FEW)
        sort_by_id(reader, equals, equals + reader->order_room, count);
    for (size_t at = 0; at < count && judged; at++) {
        struct row *row = &reader->rows[equals[at].row];
        size_t before = at;
        if (row->hash && !all && judged <= FEW) {
            before = 0;
            for (size_t other = 0; other < count; other++)
                before += other != at && id_above(reader, equals[other].row, equals[at].row);
        }
        row->rank = first + before + 1;
    }
}

static void order_by_score(struct reader *reader) {
    for (size_t at = 0; at < reader->count; at++)
        reader->order[at] = (struct ordered){reader->rows[at].score, (uint32_t)at};
    if (!reader->level)
        sort_by_score(reader->order, reader->order + reader->order_room, reader->count);
}

/* Ranks of the judged documents of a query whose scores do not strictly fall. */
static int rank_by_score(struct reader *reader) {
    const struct ordered *order = reader->order;
    order_by_score(reader);
    uint64_t worst = 0;
    int is_tied = 0, is_disordered = 0;
    for (size_t first = 0, last; first < reader->count; first = last) {
        uint64_t least = UINT64_MAX, most = 0;
        for (last = first; last < reader->count && order[last].score == order[first].score; last++) {
            uint64_t rank = reader->rows[order[last].row].rank;
            least = rank < least ? rank : least;
            most = rank > most ? rank : most;
        }
        is_disordered |= first > 0 && least <= worst;
        worst = most;
        is_tied |= last - first > 1;
        if (last - first > 1)
            rank_equals(reader, reader->order + first, last - first, first, first < reader->options->keep);
        else
            reader->rows[order[first].row].rank = first + 1;
    }
    reader->found->tied += is_tied;
    reader->found->disordered += is_disordered;
    return 1;
}

/* ---- a query ---- */

static int reserve(struct reader *reader) {
    size_t room = 16;
    while (room < 2 * reader->count)
        room *= 2;
    if (room > reader->seen_room) {
        free(reader->seen);
        reader->seen = malloc(room * sizeof *reader->seen);
        reader->seen_room = reader->seen ? room : 0;
    }
    if (!reader->falling && reader->count > reader->order_room) {
        free(reader->order);
        reader->order = malloc(room * 2 * sizeof *reader->order);
        reader->order_room = reader->order ? room : 0;
    }
    return reader->seen && (reader->falling || reader->order);
}

/* Replaces the hash of each document by its judgment, plus one, or 0 if it has none; 0 if two have the same hash,
   or texts are made to collide. */
static int find_judged(struct reader *reader, int64_t query) {
    unsigned shift = 60;
    while ((size_t)1 << (64 - shift) < 2 * reader->count)
        shift--;
    uint64_t mask = ((uint64_t)1 << (64 - shift)) - 1, bits = judgments_bits(reader->judgments, query);
    memset(reader->seen, 0, (size_t)(mask + 1) * sizeof *reader->seen);
    for (size_t at = 0; at < reader->count; at++) {
        struct row *row = &reader->rows[at];
        uint64_t hash = row->hash, slot = hash >> shift;
        for (; reader->seen[slot]; slot = (slot + 1) & mask, reader->steps++)
            if (reader->seen[slot] == (hash | 1))
                return 0;
        reader->seen[slot] = hash | 1;
        row->hash = 0;
        if (bits & judged_bit(hash))
            row->hash = (uint64_t)(judgments_document(reader->judgments, query, hash, reader->bytes + row->start,
                                                      row->size, &reader->steps) + 1);
        if (are_made_to_collide(reader->steps, (uint64_t)reader->found->lines))
            return 0;
    }
    return 1;
}

static int add_hits(struct reader *reader) {
    struct matches *found = reader->found;
    for (size_t at = 0; at < reader->count; at++) {
        const struct row *row = &reader->rows[at];
        if (!row->hash)
            continue;
        if (!append(&found->hit, (int64_t)row->hash - 1) ||
            !append(&found->rank, reader->falling ? (int64_t)at + 1 : (int64_t)row->rank))
            return 0;
    }
    return 1;
}

static int add_first(struct reader *reader) {
    for (size_t at = 0; at < reader->count && at < reader->options->keep; at++) {
        const struct row *row = &reader->rows[reader->falling ? at : reader->order[at].row];
        if (!append(&reader->found->first, row->start) || !append(&reader->found->first, (int64_t)row->start + row->size))
            return 0;
    }
    return 1;
}

static enum outcome finish_query(struct reader *reader) {
    struct matches *found = reader->found;
    int64_t number = judgments_query(reader->judgments, reader->query, reader->query_size, reader->end,
                                     &reader->steps);
    uint64_t hash = span_hash(reader->query, reader->query_size, reader->end);
    int64_t signed_hash;
    memcpy(&signed_hash, &hash, 8);
    if (!reserve(reader) || !append(&found->query, number) || !append(&found->query_hash, signed_hash) ||
        !append(&found->length, (int64_t)reader->count))
        return NO_MEMORY;
    if (!find_judged(reader, number))
        return NOT_REGULAR;
    if (reader->falling)
        found->disordered += reader->disordered;
    else
        rank_by_score(reader);
    if (number >= 0 && (!add_hits(reader) || !add_first(reader)))
        return NO_MEMORY;
    return MATCHED;
}

/* ---- a line ---- */

struct field {
    size_t start, end;
};

/* The fields of a line of six with one space or tab between them, which most lines are. */
static int usual_line(struct reader *reader, size_t start, struct field *fields) {
    const uint32_t *ends = reader->separators + reader->next;
    if (reader->known - reader->next < USUAL || reader->bytes[ends[USUAL - 1]] != '\n')
        return 0;
    for (int column = 0; column < USUAL; column++) {
        uint8_t separator = reader->bytes[ends[column]];
        if (ends[column] == start || (column < USUAL - 1 && separator != ' ' && separator != '\t'))
            return 0;
        if (column < COLUMNS)
            fields[column] = (struct field){start, ends[column]};
        start = (size_t)ends[column] + 1;
    }
    reader->next += USUAL;
    return 1;
}

/* The number of fields of any line, of which the first five are set; 0 if the line is not regular. */
static size_t any_line(struct reader *reader, size_t start, struct field *fields) {
    size_t width = 0;
    for (;;) {
        if (reader->next == reader->known)
            look_ahead(reader);
        if (reader->next == reader->known)
            return 0;
        size_t end = reader->separators[reader->next++];
        if (end > start) {
            if (width < COLUMNS)
                fields[width] = (struct field){start, end};
            width++;
        }
        start = end + 1;
        uint8_t separator = reader->bytes[end];
        if (separator == '\n')
            return width >= COLUMNS ? width : 0;
        int is_return = separator == '\r' && start < reader->size && reader->bytes[start] == '\n';
        if (separator != ' ' && separator != '\t' && !is_return)
            return 0;
    }
}

static int read_score(const struct reader *reader, struct field field, double *score) {
    const uint8_t *at = reader->bytes + field.start, *end = reader->bytes + field.end;
    const struct options *options = reader->options;
    enum number_form form = read_decimal(reader->bytes, at, end, score);
    return form != NUMBER_OTHER &&
           (form != NUMBER_LONG || options->read_number(options->context, at, field.end - field.start, score));
}

static int same_query(const struct reader *reader, struct field field) {
    const uint8_t *text = reader->bytes + field.start;
    size_t size = field.end - field.start;
    if (!reader->query || size != reader->query_size || load_bytes(text, size, reader->end) != reader->query_word)
        return 0;
    return size <= 8 || memcmp(text, reader->query, size) == 0;
}

static int add_room(struct reader *reader) {
    size_t room = reader->room ? 2 * reader->room : 1024;
    struct row *rows = realloc(reader->rows, room * sizeof *rows);
    if (!rows)
        return 0;
    reader->rows = rows;
    reader->room = room;
    return 1;
}

/* The bytes of a rank, one to eight, as a big-endian number. */
static uint64_t rank_word(const uint8_t *at, size_t size, const uint8_t *end) {
    return reversed(load_bytes(at, size, end)) >> (64 - 8 * size);
}

static void compare_rows(struct reader *reader, const struct row *before, const struct row *row) {
    reader->falling &= row->score < before->score;
    reader->level &= row->score <= before->score;
    reader->disordered |= row->rank <= before->rank;
}

static void begin_query(struct reader *reader, struct field field) {
    reader->query = reader->bytes + field.start;
    reader->query_size = field.end - field.start;
    reader->query_word = load_bytes(reader->query, reader->query_size, reader->end);
    reader->count = 0;
    reader->falling = reader->level = 1;
    reader->disordered = 0;
}

static enum outcome add_row(struct reader *reader, struct field document, double score, uint64_t rank) {
    double most = reader->options->single_precision ? LARGEST_SINGLE : DBL_MAX;
    if (!(score >= -most && score <= most))
        return NOT_REGULAR;
    if (reader->count == reader->room && !add_room(reader))
        return NO_MEMORY;
    size_t size = document.end - document.start;
    struct row *row = &reader->rows[reader->count++];
    row->hash = text_hash(reader->bytes + document.start, size, reader->end);
    row->score = reader->options->single_precision ? (double)(float)score : score;
    row->start = (uint32_t)document.start;
    row->size = (uint32_t)size;
    row->rank = rank;
    if (reader->count > 1)
        compare_rows(reader, row - 1, row);
    return MATCHED;
}

static enum outcome add_line(struct reader *reader, const struct field *fields) {
    if (!same_query(reader, fields[0])) {
        enum outcome outcome = reader->query ? finish_query(reader) : MATCHED;
        if (outcome != MATCHED)
            return outcome;
        begin_query(reader, fields[0]);
    }
    double score;
    size_t rank_size = fields[3].end - fields[3].start;
    if (*reader->query == '#' || rank_size > 8 || !read_score(reader, fields[4], &score))
        return NOT_REGULAR;
    return add_row(reader, fields[2], score, rank_word(reader->bytes + fields[3].start, rank_size, reader->end));
}

static enum outcome read_lines(struct reader *reader) {
    struct field fields[COLUMNS];
    enum outcome outcome = MATCHED;
    for (size_t start = 0; start < reader->size && outcome == MATCHED;) {
        if (reader->known - reader->next < USUAL)
            look_ahead(reader);
        size_t width = usual_line(reader, start, fields) ? USUAL : any_line(reader, start, fields);
        if (!width)
            return NOT_REGULAR;
        reader->found->lines++;
        reader->found->without_tag += width == COLUMNS;
        reader->found->too_wide += width > USUAL;
        start = (size_t)reader->separators[reader->next - 1] + 1;
        outcome = add_line(reader, fields);
    }
    return outcome == MATCHED ? finish_query(reader) : outcome;
}

/* The text before the next NUL; it is empty if there is none. */
static struct field next_text(const struct reader *reader, size_t start) {
    const uint8_t *end = start < reader->size ? memchr(reader->bytes + start, 0, reader->size - start) : NULL;
    return (struct field){start, end ? (size_t)(end - reader->bytes) : start};
}

static enum outcome read_columns(struct reader *reader, const struct columns *columns) {
    struct field query = {0, 0}, document = {0, 0};
    enum outcome outcome = MATCHED;
    size_t start = 0, next = columns->documents, row = 0;
    for (size_t number = 0; number < columns->queries && outcome == MATCHED; number++, start = query.end + 1) {
        query = next_text(reader, start);
        begin_query(reader, query);
        for (int64_t left = columns->lengths[number]; left > 0 && outcome == MATCHED; left--, next = document.end + 1) {
            document = next_text(reader, next);
            if (row == columns->rows || document.end == document.start)
                return NOT_REGULAR;
            outcome = add_row(reader, document, columns->scores[row++], 0);
        }
        reader->found->lines += (int64_t)reader->count;
        if (outcome == MATCHED)
            outcome = reader->count && query.end > query.start ? finish_query(reader) : NOT_REGULAR;
    }
    reader->found->disordered = 0; /* there are no ranks */
    int complete = start == columns->documents && next == reader->size && row == columns->rows;
    return outcome == MATCHED && !complete ? NOT_REGULAR : outcome;
}

static int ascending(const void *left, const void *right) {
    int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;
    return (one > other) - (one < other);
}

/* Whether a judged query stands in two places: 1, 0, or -1 without memory. */
static int has_repeated_query(const struct matches *found) {
    int64_t *numbers = malloc((found->query.count + 1) * sizeof *numbers);
    if (!numbers)
        return -1;
    memcpy(numbers, found->query.values, found->query.count * sizeof *numbers);
    qsort(numbers, found->query.count, sizeof *numbers, ascending);
    int repeated = 0;
    for (size_t at = 1; at < found->query.count; at++)
        repeated |= numbers[at] >= 0 && numbers[at] == numbers[at - 1];
    free(numbers);
    return repeated;
}

enum outcome match_rows(const uint8_t *bytes, size_t size, const struct columns *columns,
                        const struct judgments *judgments, const struct options *options, struct matches *found) {
    memset(found, 0, sizeof *found);
    if (size == 0 || size > MOST_BYTES || bytes[size - 1] != (columns ? 0 : '\n'))
        return NOT_REGULAR;
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NO_MEMORY;
    reader->bytes = bytes;
    reader->end = bytes + size;
    reader->size = size;
    reader->judgments = judgments;
    reader->options = options;
    reader->found = found;
    enum outcome outcome = columns ? read_columns(reader, columns) : read_lines(reader);
    if (outcome == MATCHED && reader->high && !is_utf8(bytes, reader->end))
        outcome = NOT_REGULAR;
    if (outcome == MATCHED) {
        int repeated = has_repeated_query(found);
        outcome = repeated < 0 ? NO_MEMORY : repeated ? NOT_REGULAR : MATCHED;
    }
    free(reader->rows);
    free(reader->seen);
    free(reader->order);
    free(reader);
    return outcome;
}

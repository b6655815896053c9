/* Rows of a run, as complete lines of TREC or as columns: the judged documents in them, and their ranks. */
#ifndef STEELYARD_LINES_H
#define STEELYARD_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "judgments.h"

#define MOST_BYTES ((size_t)1 << 30) /* of lines that are read together */

enum outcome { MATCHED, NOT_REGULAR, NO_MEMORY };

/* The double that is nearest to a number; 0 is returned if it cannot be said. */
typedef int (*number_reader)(void *context, const uint8_t *text, size_t size, double *value);

struct options {
    int single_precision; /* scores are compared as 32-bit floats */
    size_t keep;          /* how many first documents of each judged query are wanted */
    number_reader read_number;
    void *context;
};

struct column {
    int64_t *values;
    size_t count, room;
};

/* As `Matches` of Python; `first` has the start and the end of each first document. */
struct matches {
    struct column query, query_hash, length, hit, rank, first;
    int64_t lines, tied, disordered, without_tag, too_wide;
};

/* Rows by query: the bytes are the queries and, from `documents` on, the documents, each with NUL after it. */
struct columns {
    size_t documents, queries, rows;
    const int64_t *lengths; /* the number of rows of each query */
    const double *scores;
};

/* The matches of `size` bytes, which are lines unless there are columns; NOT_REGULAR if anything in them is unusual,
   or a document stands twice in a query. */
enum outcome match_rows(const uint8_t *bytes, size_t size, const struct columns *columns,
                        const struct judgments *judgments, const struct options *options, struct matches *found);
void matches_free(struct matches *found);

/* The number of newlines in `size` bytes. */
size_t count_lines(const uint8_t *bytes, size_t size);

#endif

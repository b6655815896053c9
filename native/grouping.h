/* Complete lines of a TREC run in another order, so that those of a query are together. A line is moved as it is: of its
   fields, only the query is looked at. */
#ifndef STEELYARD_GROUPING_H
#define STEELYARD_GROUPING_H

#include "lines.h"

#define MOST_BUCKET_BITS 16

/* Copies the lines to `into`, which has as many bytes, by the highest `bits` (1 to MOST_BUCKET_BITS) of `span_hash` of
   the query; lines of a bucket keep their order. Blank lines and comments stay with the line before, or with the first
   one that has a query. `ends` and `rows` have, for each bucket, where its lines end and how many have a query.
   NOT_REGULAR: no line with a query, or a last line without an end. */
enum outcome bucket_lines(const uint8_t *bytes, size_t size, unsigned bits, uint8_t *into, int64_t *ends,
                          int64_t *rows);

/* Copies the lines to `into`, those with the same hash of the query together, in the order of their first lines. Two
   queries may share a hash. NOT_REGULAR: as above, or hashes that were made to collide in a table. */
enum outcome group_lines(const uint8_t *bytes, size_t size, uint8_t *into);

#endif

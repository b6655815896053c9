/* What pairs of texts share, from the numbers of their tokens. */
#ifndef STEELYARD_OVERLAPS_H
#define STEELYARD_OVERLAPS_H

#include <stddef.h>
#include <stdint.h>

/* Texts one after the other: the tokens of all, and the number of tokens of each. */
struct token_texts {
    const int64_t *tokens;
    const int64_t *sizes;
};

/* For each of `pairs` pairs: shared tokens, shared bigrams (both clipped), the length of the longest common
   subsequence, and the tokens of the reference that occur in the prediction; `counts` has four rows of `pairs`.
   0 if memory is lacking. */
int count_shared(const struct token_texts *predictions, const struct token_texts *references, size_t pairs,
                 int64_t *counts);

/* For each pair the numbers of distinct n-grams, n is 1 or 2: common, of the prediction, of the reference. */
int count_distinct(const struct token_texts *predictions, const struct token_texts *references, size_t pairs,
                   unsigned n, int64_t *counts);

#endif

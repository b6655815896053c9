"""ROUGE-L, and ROUGE as rouge_chinese has it, of one pair of token lists: plain, to check the batches by."""

from steelyard.answers.rouge import ADDEND, Overlap, ngrams, subsequence_length


def overlap(shared, predicted, wanted, addend=0.0):
    if not shared:
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = shared / predicted, shared / wanted
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall + addend))


def subsequence_overlap(prediction, reference):
    return overlap(subsequence_length(prediction, reference), len(prediction), len(reference))


def distinct_ngram_overlap(prediction, reference, *, n):
    """Each n-gram counts once, and F1 stays below 1; an empty side, which rouge_chinese refuses, gives 0."""
    predicted, wanted = set(ngrams(prediction, n)), set(ngrams(reference, n))
    return overlap(len(predicted & wanted), len(predicted), len(wanted), ADDEND)


def chinese_subsequence_overlap(prediction, reference):
    return overlap(subsequence_length(prediction, reference), len(prediction), len(reference), ADDEND)

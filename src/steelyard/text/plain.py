"""Plain texts as `atoms` reads them, many at once."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from steelyard.text.coding import Codes, Numbers, Pieces
from steelyard.text.tokens import ARTICLES, TRUTH, plain_lexemes, plain_token

# what the code of a lexeme says beside its token, which stands above these bits
_WORD, _ARTICLE, _CAPITAL, _TRUTH = 1, 2, 4, 8
_BITS: Final = 4


class PlainAtoms(Pieces):
    """The rules that look at neighbours are applied to all texts together: articles, and "true" alone in its text."""

    def __init__(self) -> None:
        super().__init__(plain_lexemes)

    def _code(self, lexeme: str) -> int:
        word = len(lexeme) > 1 and lexeme[0].isalpha()
        truth = lexeme.lower() in TRUTH
        flags = word * _WORD | (lexeme in ARTICLES) * _ARTICLE | (lexeme == "A") * _CAPITAL | truth * _TRUTH
        return self.vocabulary[plain_token(lexeme)] << _BITS | flags

    def _finished(self, codes: Codes) -> Codes:
        values = self._alone(codes) >> _BITS
        kept = ~self._articles(codes)
        dropped = np.concatenate(([0], np.cumsum(~kept)))
        return Codes(values[kept], codes.lengths - (dropped[codes.ends] - dropped[codes.starts]))

    def _alone(self, codes: Codes) -> Numbers:
        values = codes.values.copy()
        alone = codes.starts[codes.lengths == 1]
        for said, meant in TRUTH.items():
            at = alone[values[alone] == (self.vocabulary[said] << _BITS | _WORD | _TRUTH)]
            values[at] = self.vocabulary[meant] << _BITS
        return values

    def _articles(self, codes: Codes) -> NDArray[np.bool_]:
        """Where an article stands before another word of its text, and "A" only as the first."""
        values = codes.values
        before_word = np.zeros(len(values), np.bool_)
        before_word[:-1] = values[1:] & _WORD != 0
        before_word[codes.ends[codes.lengths > 0] - 1] = False
        is_first = np.zeros(len(values), np.bool_)
        is_first[codes.starts[codes.lengths > 0]] = True
        is_article: NDArray[np.bool_] = (values & _ARTICLE != 0) & before_word
        return np.asarray(is_article & ((values & _CAPITAL == 0) | is_first))

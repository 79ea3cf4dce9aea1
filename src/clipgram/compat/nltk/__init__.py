"""BLEU and GLEU of NLTK 3.10.4: change the import, and the same scores come out, many times faster.

``from nltk.translate.bleu_score import sentence_bleu`` becomes ``from clipgram.compat.nltk import sentence_bleu``, or
``from clipgram.compat.nltk.translate.bleu_score import sentence_bleu``. Scores have the same bits, on every version of
Python; warnings have the same text and exceptions the same type. What is odd in NLTK is odd here:

- References come first. Tokens are any hashables, equal as the keys of a dict are: 1, 1.0 and True are one token. A str
  in the place of a list of tokens is a sequence of characters.
- Without a matching unigram the score is the int 0, or a list of them for several sets of weights; otherwise it is a
  float. An unsmoothed order without a match counts as the smallest normal double, about 2.2e-308, after a warning.
- A segment shorter than the order adds 1 to the denominator of that order.
- Smoothing methods 5 to 7 look at the last segment of a corpus only, and 5 and 7 may exceed 1.
- ``auto_reweigh`` acts on weights that equal the default tuple; a list of the same numbers does not.
- A ``Fraction`` is not reduced; whether 2/4 equals 1/2 depends on the version of Python, and on which side it stands.

Examples
--------
>>> reference = "the cat is on the mat".split()
>>> hypothesis = "the cat sat on the mat".split()
>>> sentence_bleu([reference], hypothesis, smoothing_function=SmoothingFunction().method1)
0.25406637407730737
>>> sentence_gleu([reference], hypothesis)
0.5
"""

from clipgram.compat.nltk import translate
from clipgram.compat.nltk.translate.bleu_score import (
    Fraction,
    SmoothingFunction,
    brevity_penalty,
    closest_ref_length,
    corpus_bleu,
    modified_precision,
    sentence_bleu,
)
from clipgram.compat.nltk.translate.gleu_score import corpus_gleu, sentence_gleu

__all__ = [
    "Fraction",
    "SmoothingFunction",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "corpus_gleu",
    "modified_precision",
    "sentence_bleu",
    "sentence_gleu",
    "translate",
]

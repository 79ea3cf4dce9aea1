"""Clipped n-gram metrics, BLEU and GLEU, over text and token IDs."""

from clipgram._backend import IMPLEMENTATION
from clipgram.batch import TokenBatch
from clipgram.bleu import BLEU, BLEUScore, corpus_bleu, sentence_bleu
from clipgram.counts import NgramCounts
from clipgram.decoding import mbr, repetition, self_bleu
from clipgram.gleu import GLEU, GLEUScore, corpus_gleu, sentence_gleu
from clipgram.references import References
from clipgram.signature import VERSION as __version__
from clipgram.tokenizers import tokenize

__all__ = (
    "BLEU",
    "GLEU",
    "IMPLEMENTATION",
    "BLEUScore",
    "GLEUScore",
    "NgramCounts",
    "References",
    "TokenBatch",
    "__version__",
    "corpus_bleu",
    "corpus_gleu",
    "mbr",
    "repetition",
    "self_bleu",
    "sentence_bleu",
    "sentence_gleu",
    "tokenize",
)

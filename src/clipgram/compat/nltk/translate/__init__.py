"""``nltk.translate``: its BLEU and GLEU."""

from clipgram.compat.nltk.translate import bleu_score, gleu_score
from clipgram.compat.nltk.translate.bleu_score import sentence_bleu as bleu
from clipgram.compat.nltk.translate.gleu_score import sentence_gleu as gleu

__all__ = ["bleu", "bleu_score", "gleu", "gleu_score"]

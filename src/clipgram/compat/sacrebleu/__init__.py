"""sacreBLEU 2.6.0's BLEU: same names, arguments and last digits, many times faster.

    from clipgram.compat import sacrebleu          # instead of: import sacrebleu
    from clipgram.compat.sacrebleu.metrics import BLEU

Signatures carry sacreBLEU's own text, its version included. ``MADE_BY`` names the program behind them, and so does the
attribute ``made_by`` of metrics, scores and signatures.
"""

from clipgram.compat.sacrebleu import metrics, significance
from clipgram.compat.sacrebleu.compat import corpus_bleu, raw_corpus_bleu, sentence_bleu
from clipgram.compat.sacrebleu.metrics import BLEU, BLEUScore
from clipgram.compat.sacrebleu.signature import MADE_BY
from clipgram.compat.sacrebleu.signature import VERSION as __version__
from clipgram.compat.sacrebleu.significance import PairedTest

__all__ = [
    "BLEU",
    "MADE_BY",
    "BLEUScore",
    "PairedTest",
    "__version__",
    "corpus_bleu",
    "metrics",
    "raw_corpus_bleu",
    "sentence_bleu",
    "significance",
]

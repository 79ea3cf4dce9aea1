"""BLEU for ``evaluate.load``, computed by clipgram. Values are those of evaluate's own ``bleu``."""

import evaluate

from clipgram.compat.evaluate import TOKENIZER_13A
from clipgram.compat.evaluate import Bleu as Computed


class Bleu(evaluate.Metric):
    def _info(self):
        return Computed.metric_info()

    def _compute(self, predictions, references, tokenizer=TOKENIZER_13A, max_order=4, smooth=False):
        return Computed.score_rows(predictions, references, tokenizer, max_order, smooth)

"""GLEU for ``evaluate.load``, computed by clipgram. Values are those of evaluate's own ``google_bleu``."""

import evaluate

from clipgram.compat.evaluate import TOKENIZER_13A
from clipgram.compat.evaluate import GoogleBleu as Computed


class GoogleBleu(evaluate.Metric):
    def _info(self):
        return Computed.metric_info()

    def _compute(self, predictions, references, tokenizer=TOKENIZER_13A, min_len=1, max_len=4):
        return Computed.score_rows(predictions, references, tokenizer, min_len, max_len)

"""sacreBLEU's BLEU for ``evaluate.load``, computed by clipgram. Values are those of evaluate's own ``sacrebleu``."""

import evaluate

from clipgram.compat.evaluate import Sacrebleu as Computed


class Sacrebleu(evaluate.Metric):
    def _info(self):
        return Computed.metric_info()

    def _compute(
        self,
        predictions,
        references,
        smooth_method="exp",
        smooth_value=None,
        force=False,
        lowercase=False,
        tokenize=None,
        use_effective_order=False,
    ):
        return Computed.score_rows(
            predictions, references, smooth_method, smooth_value, force, lowercase, tokenize, use_effective_order
        )

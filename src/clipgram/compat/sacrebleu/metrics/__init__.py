"""BLEU and its score, under sacreBLEU's path."""

from clipgram.compat.sacrebleu.metrics.bleu import BLEU, BLEUScore

__all__ = ["BLEU", "BLEUScore"]

"""sacreBLEU's functions. sacreBLEU calls this module ``compat`` too: the functions are older than its classes."""

from __future__ import annotations

from collections.abc import Sequence

from clipgram.compat.sacrebleu.metrics.bleu import BLEU, BLEUScore

__all__ = ["corpus_bleu", "raw_corpus_bleu", "sentence_bleu"]


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    """BLEU of a corpus.

    Parameters
    ----------
    hypotheses : sequence of str
    references : sequence of sequences of str
        Streams: ``references[j][i]`` is the j-th reference of ``hypotheses[i]``.
    smooth_method, smooth_value, force, lowercase, tokenize
        As for ``BLEU``.
    use_effective_order : bool
        ``effective_order`` of ``BLEU``.

    Returns
    -------
    BLEUScore

    Examples
    --------
    >>> corpus_bleu(["the cat sat on a mat", "it rained"], [["the cat sat on the mat", "it poured"]])
    BLEU = 50.00 75.0/50.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)
    """
    metric = BLEU(
        lowercase=lowercase,
        force=force,
        tokenize=tokenize,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        effective_order=use_effective_order,
    )
    return metric.corpus_score(hypotheses, references)


def raw_corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    smooth_value: float | None = BLEU.SMOOTH_DEFAULTS["floor"],
) -> BLEUScore:
    """BLEU of a corpus that is tokenized already, with floor smoothing and effective order.

    Parameters
    ----------
    hypotheses, references
        As for ``corpus_bleu``.
    smooth_value : float, optional
        What an order without a match counts for.

    Returns
    -------
    BLEUScore

    Examples
    --------
    >>> raw_corpus_bleu(["a b c"], [["a c b"]]).totals
    [3, 2, 1, 0]
    """
    return corpus_bleu(
        hypotheses,
        references,
        smooth_method="floor",
        smooth_value=smooth_value,
        force=True,
        tokenize="none",
        use_effective_order=True,
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """BLEU of one segment.

    Parameters
    ----------
    hypothesis : str
    references : sequence of str
        All references of this segment.
    smooth_method, smooth_value, lowercase, tokenize, use_effective_order
        As for ``corpus_bleu``.

    Returns
    -------
    BLEUScore

    Examples
    --------
    >>> sentence_bleu("the cat", ["the cat sat on the mat"])
    BLEU = 13.53 100.0/100.0/0.0/0.0 (BP = 0.135 ratio = 0.333 hyp_len = 2 ref_len = 6)
    """
    metric = BLEU(
        lowercase=lowercase,
        tokenize=tokenize,
        force=False,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        effective_order=use_effective_order,
    )
    return metric.sentence_score(hypothesis, references)

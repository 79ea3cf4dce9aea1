"""Scores as sacreBLEU prints them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from typing import Any

from clipgram.compat.sacrebleu.signature import MADE_BY


class Score:
    """A number with the metric's name.

    Attributes
    ----------
    name : str
    score : float
        From 0 to 100.
    made_by : str
        The program that computed it.
    """

    made_by = MADE_BY
    name: str
    _mean = -1.0
    _ci = -1.0

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        self._mean = -1.0
        self._ci = -1.0
        self._verbose = ""

    def format(self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False) -> str:
        """The score as text.

        Parameters
        ----------
        width : int
            Decimal digits of the score.
        score_only : bool
            Nothing but the score, and its confidence interval where it has one; wins over ``is_json``.
        signature : str
            Printed behind the name; in JSON it becomes an entry, and so does each of its items.
        is_json : bool
            As JSON. Needs a signature.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If JSON is asked for without a signature.
        """
        number = f"{self.score:.{width}f}"
        fields: dict[str, Any] = {"name": self.name, "score": float(number), "signature": signature}
        if self._mean > 0:
            mean, half = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            interval = f"μ = {mean} ± {half}"
            number += f" ({interval})"
            fields |= {"confidence_mean": float(mean), "confidence_var": float(half), "confidence": interval}
        if score_only:
            return number
        if self._verbose:
            fields["verbose_score"] = self._verbose
        if is_json:
            for item in signature.split("|"):
                key, value = item.split(":")
                fields[key] = value
            return json.dumps(fields, indent=1, ensure_ascii=False)
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {number} {self._verbose}" if self._verbose else f"{name} = {number}"

    def estimate_ci(self, scores: list[Score]) -> None:
        """Set mean and 95 % confidence interval from scores of resampled corpora."""
        self._set_interval([score.score for score in scores])

    def _set_interval(self, scores: Sequence[float]) -> None:
        ordered = sorted(scores)
        cut = len(ordered) // 40
        self._mean = statistics.mean(ordered)
        self._ci = 0.5 * (ordered[len(ordered) - cut - 1] - ordered[cut])

    def __repr__(self) -> str:
        return self.format()


class BLEUScore(Score):
    """A BLEU score and what it was made of.

    Attributes
    ----------
    score : float
        From 0 to 100.
    counts, totals : list of int
        Clipped matches and hypothesis n-grams of each order; with what add-k adds, as sacreBLEU has it.
    precisions : list of float
        Of each order, from 0 to 100, smoothed.
    bp : float
        The brevity penalty.
    sys_len, ref_len : int
        Tokens of the hypotheses and of the references.
    ratio : float
        The first over the second, 0 if the second is 0.
    prec_str : str
        The precisions with one digit each.

    Examples
    --------
    >>> from clipgram.compat.sacrebleu import sentence_bleu
    >>> score = sentence_bleu("the cat sat on a mat", ["the cat sat on the mat"])
    >>> score
    BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
    >>> round(score.score, 9), score.counts
    (53.728496591, [5, 3, 2, 1])
    """

    name = "BLEU"
    _late: tuple[Any, ...]

    def __init__(
        self,
        score: float,
        counts: list[int],
        totals: list[int],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.bp = bp
        self.counts = counts
        self.totals = totals
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.precisions = precisions
        self.prec_str, self.ratio, self._verbose = _texts(precisions, bp, sys_len, ref_len)

    @classmethod
    def _of_numbers(
        cls, score: float, counts: Any, totals: Any, precisions: Any, bp: float, sys_len: int, ref_len: int
    ) -> BLEUScore:
        """The same from numbers that surely can be printed; all but the score is put off, which takes a third less.

        Without ``totals`` it is a sentence's, and ``counts`` and ``precisions`` are tuples.
        """
        made = cls.__new__(cls)
        made.name = "BLEU"  # first, as in vars() of a score that was made at once
        made.score = score
        made._late = counts, totals, precisions, bp, sys_len, ref_len
        return made

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there: see to what was put off."""
        if name not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.__dict__[name]

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]  # object's is an attribute; this is filled late
        """All attributes, for ``vars`` too."""
        fields = super().__dict__
        late = fields.get("_late")
        if late is not None:
            counts, totals, precisions, *others = late
            if totals is None:
                length = others[1]
                counts, totals, precisions = list(counts), [length - n for n in range(len(counts))], list(precisions)
            whole = vars(BLEUScore(fields["score"], counts, totals, precisions, *others))
            # Two threads may look at once, and a user may have set something before anybody looked.
            fields.update({name: value for name, value in whole.items() if name not in fields})
            fields.pop("_late", None)
        return fields


def _texts(precisions: Sequence[float], bp: float, sys_len: int, ref_len: int) -> tuple[str, float, str]:
    """``prec_str``, ``ratio`` and ``_verbose`` of a score."""
    each = "/".join([f"{p:.1f}" for p in precisions])
    ratio = sys_len / ref_len if ref_len else 0
    return each, ratio, f"{each} (BP = {bp:.3f} ratio = {ratio:.3f} hyp_len = {sys_len:d} ref_len = {ref_len:d})"

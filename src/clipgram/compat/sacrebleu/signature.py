"""How a score was made, in sacreBLEU's own words."""

from __future__ import annotations

from typing import Any

from clipgram.signature import VERSION as CLIPGRAM_VERSION

VERSION = "2.6.0"  # of the sacreBLEU whose numbers these are
MADE_BY = f"clipgram {CLIPGRAM_VERSION}"

# sacreBLEU's smoothing methods, and the value that each takes by default.
SMOOTH_DEFAULTS: dict[str, float | None] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}


class Signature:
    """How a metric makes scores: keys and values, printed as one line.

    The text is sacreBLEU's, its version included, because the numbers are. ``made_by`` tells the program that computed
    them.

    Parameters
    ----------
    args : dict
        A metric's attributes. ``num_refs`` must be among them; the metric has it once it has seen references.

    Examples
    --------
    >>> signature = Signature({"num_refs": 2, "n_bootstrap": 1000, "seed": "12345"})
    >>> signature
    nrefs:2|bs:1000|seed:12345|version:2.6.0
    >>> signature.update("lang", "de-en")
    >>> signature.format(short=True)
    '#:2|bs:1000|rs:12345|l:de-en|v:2.6.0'
    >>> signature.made_by.split()[0]
    'clipgram'
    """

    made_by = MADE_BY

    def __init__(self, args: dict[str, Any]) -> None:
        self._abbr = {
            "version": "v",
            "nrefs": "#",
            "test": "t",
            "lang": "l",
            "subset": "S",
            "origlang": "o",
            "bs": "bs",
            "ar": "ar",
            "seed": "rs",
        }
        if "num_refs" not in args:
            raise ValueError("the number of references is not known yet; score something first")
        self.info: dict[str, Any] = {
            "version": VERSION,
            "nrefs": "var" if args["num_refs"] == -1 else args["num_refs"],
            "bs": args.get("n_bootstrap"),
            "ar": None,
            "seed": args.get("seed"),
            "test": args.get("test_set"),
            "lang": args.get("langpair"),
            "origlang": args.get("origlang"),
            "subset": args.get("subset"),
        }

    def format(self, short: bool = False) -> str:
        """The signature as one line: what is None left out, the version last.

        Parameters
        ----------
        short : bool
            With sacreBLEU's abbreviations of the keys.

        Returns
        -------
        str
        """
        last = self.info["version"]
        items = [*((key, value) for key, value in self.info.items() if key != "version"), ("version", last)]
        return "|".join(
            f"{self._abbr[key] if short else key}:{_as_text(value)}" for key, value in items if value is not None
        )

    def update(self, key: str, value: Any) -> None:
        """Set one item."""
        self.info[key] = value

    def __repr__(self) -> str:
        return self.format()


class BLEUSignature(Signature):
    """How a ``BLEU`` makes scores.

    Examples
    --------
    >>> from clipgram.compat.sacrebleu import BLEU
    >>> metric = BLEU(smooth_method="floor", lowercase=True)
    >>> _ = metric.corpus_score(["a b"], [["a c"], ["b"]])
    >>> metric.get_signature()
    nrefs:2|case:lc|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0
    """

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        self._abbr.update(case="c", eff="e", tok="tok", smooth="s")
        smooth, value = args["smooth_method"], args["smooth_value"]
        default = SMOOTH_DEFAULTS[smooth]
        if default is not None:
            smooth += f"[{default if value is None else value:.2f}]"
        self.info.update(
            case="lc" if args["lowercase"] else "mixed",
            eff="yes" if args["effective_order"] else "no",
            tok=args["tokenizer_signature"],
            smooth=smooth,
        )


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)

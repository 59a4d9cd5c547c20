"""The grammar of every name: what a study, a slice, a version, a person, an item, a category or a file may be called.

Each `*_fault` function takes a text and says what is wrong with it in one clause, or gives None. Nothing here
changes a text: a name that needs repair is refused, because two repairs could meet in one name.
"""

from __future__ import annotations

import re
import unicodedata

SLUG_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,63}$"
VERSION_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$"
PERSON_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
# For item ids and item versions, which come from somebody else's system. Written for RE2 and Rust (DuckDB, polars);
# `id_fault` says the same in Python, whose `re` has no \p.
ID_PATTERN = r"^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N} ._:@/+#=~,()&%?!'$*;|-]{0,199}$"

LONGEST_ID = 200
LONGEST_CATEGORY = 100
_ID_PUNCTUATION = frozenset(" ._:@/+#=~,()&%?!'$*;|-")
# Windows keeps these names for devices, with any extension: a folder of that name cannot be copied there.
_DEVICES = frozenset({"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)})


def shown(text: str, longest: int = 80) -> str:
    """The text as it may stand in a message: one line, invisible and control characters escaped, cut to length."""
    out = "".join(c if _visible(c) else c.encode("unicode_escape").decode("ascii") for c in text[: longest + 1])
    return out if len(out) <= longest else out[: longest - 1] + "…"


def _visible(character: str) -> bool:
    # Lone surrogates (Cs), controls (Cc), zero-width and bidi marks (Cf), line and paragraph separators, odd spaces.
    return character == " " or unicodedata.category(character) not in _HIDDEN


_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})


def slug_fault(text: str) -> str | None:
    """Studies, rounds, slices, abstention reasons, releases: they become folder names, so lower case and portable."""
    return _file_safe_fault(text, SLUG_PATTERN, "a lower-case letter or digit", "63 more of a-z 0-9 . _ -")


def version_fault(text: str) -> str | None:
    """Guideline and reference-set versions."""
    return _file_safe_fault(text, VERSION_PATTERN, "a letter or digit", "31 more of A-Z a-z 0-9 . _ -")


def person_fault(text: str) -> str | None:
    """Annotators and adjudicators: sheets are named for them. No e-mail: ids stay for ever and must not be personal."""
    if "@" in text:
        return "looks like an e-mail address, and ids must not be personal data"
    return _file_safe_fault(text, PERSON_PATTERN, "a letter or digit", "63 more of A-Z a-z 0-9 . _ -")


def _file_safe_fault(text: str, pattern: str, first: str, more: str) -> str | None:
    if re.fullmatch(pattern[1:-1], text, flags=re.ASCII) is None:  # `$` would let a final newline through
        return f"must begin with {first} and have at most {more}"
    if text.endswith("."):
        return "ends in a dot"
    if text.split(".")[0].lower() in _DEVICES:
        return "is a device name on Windows"
    return None


def id_fault(text: str) -> str | None:
    """Ids and versions of items: opaque, compared exactly, any script, NFC, no invisible characters."""
    if not text:
        return "is empty"
    if len(text) > LONGEST_ID:
        return f"is longer than {LONGEST_ID} characters"
    if hidden := _hidden_fault(text):
        return hidden
    if text != text.strip(" "):
        return "begins or ends with a space"
    odd = next((c for c in text if not _id_character(c)), None)
    if odd is not None:
        return f"contains {odd!r}"
    if not (text[0] == "_" or unicodedata.category(text[0])[0] in "LMN"):
        return f"begins with {text[0]!r}"
    return None


def _id_character(character: str) -> bool:
    return character in _ID_PUNCTUATION or unicodedata.category(character)[0] in "LMN"


def category_fault(text: str) -> str | None:
    """Categories: whatever the guideline calls them, but one line without odd whitespace or invisible characters."""
    if not text:
        return "is empty"
    if len(text) > LONGEST_CATEGORY:
        return f"is longer than {LONGEST_CATEGORY} characters"
    if hidden := _hidden_fault(text):
        return hidden
    if text != " ".join(text.split(" ")).strip(" ") or "  " in text:
        return "has spaces at its ends or two in a row"
    return None


def _hidden_fault(text: str) -> str | None:
    odd = next((c for c in text if not _visible(c)), None)
    if odd is not None:
        return f"contains the invisible character U+{ord(odd):04X}"
    if not unicodedata.is_normalized("NFC", text):
        return "is not in Unicode normal form C (NFC)"
    return None


def text_fault(text: str) -> str | None:
    """Prose and spellings found in files: anything but nothing."""
    return "is empty" if not text.strip() else None


def column_fault(text: str) -> str | None:
    """Names of columns in somebody's file: any one line."""
    if not text.strip():
        return "is empty"
    odd = next((c for c in text if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")), None)
    return None if odd is None else f"contains the control character U+{ord(odd):04X}"


def inner_path_fault(text: str) -> str | None:
    """A file that must lie beside or below the file that names it."""
    if ".." in text.split("/"):
        return "leaves the folder of the file that names it"
    return path_fault(text)


def path_fault(text: str) -> str | None:
    """A relative path with forward slashes, the same on every machine."""
    if not text or len(text) > 255:
        return "is empty" if not text else "is longer than 255 characters"
    if hidden := _hidden_fault(text):
        return hidden
    if text.startswith(("/", "~")) or re.match(r"[A-Za-z]:", text) or "\\" in text:
        return "is not a relative path with forward slashes"
    for part in text.split("/"):
        if part in ("", "."):
            return "has an empty step"
        if part == "..":
            continue
        if part.endswith((".", " ")) or part.startswith(("-", " ")):
            return "has a step that begins with '-' or a space, or ends in a dot or a space"
        if part.split(".")[0].lower() in _DEVICES:
            return "has a step that is a device name on Windows"
    return None


def look_alike(text: str) -> str:
    """The same key for texts a reader would take for one another: case, width, accents' form, spaces, dashes."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\s_\u2010-\u2015-]+", "-", folded)

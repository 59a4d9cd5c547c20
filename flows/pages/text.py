"""Text that came from outside, made safe to show: in any page, and in Markdown."""

from __future__ import annotations

import re
import unicodedata

# Joiners that real scripts need; every other format or control character is shown as its code instead, because
# it could reverse or hide what a reader sees.
_KEPT = "‌‍"


def visible(text: str) -> str:
    """The text on one line, with control and direction characters shown as codes.

    >>> visible("a\\u202eb\\n c")
    'a\\\\u202eb c'
    """
    line = " ".join(text.split())
    return "".join(_shown(character) for character in line)


def _shown(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co"):
        return character
    return f"\\u{ord(character):04x}"


# Brackets around figures stay as they are, "[0.04 to 0.32]"; what could be a link, a footnote or a task box does not.
_SPECIAL = re.compile(r"([\\`*_|~#$]|\[(?![\d−])|\](?=[(\[:]))")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def markdown(text: str) -> str:
    """The text as Markdown that renders as exactly these characters: no link, tag, mention, list or table cell.

    >>> markdown("a|b <i> *c* @d")
    'a\\\\|b &lt;i&gt; \\\\*c\\\\* &#64;d'
    """
    line = visible(text)
    line = "".join(_ENTITIES.get(character, character) for character in line)
    line = _SPECIAL.sub(r"\\\1", line)
    # Renderers turn bare addresses and @names into links; a character reference stops that and looks the same.
    line = line.replace("@", "&#64;").replace("://", "&#58;//")
    line = re.sub(r"(?i)\bwww\.", lambda found: found[0][:-1] + "&#46;", line)
    line = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", line)  # "1. " would start a list
    return re.sub(r"^([-+=])", r"\\\1", line)


def code(text: str) -> str:
    """The text as Markdown code on one line, whatever backticks it holds; "" for none."""
    line = visible(text)
    if not line:
        return ""
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{line}{pad}{fence}".replace("|", "\\|")

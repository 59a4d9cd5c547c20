"""Every reason for which a file or a row is refused: its code, the check behind it, what it means, what to do.

The codes are stable: they stand in messages, in the ledger (`ingest.refused`) and in the documentation.
`check` says what finds it: `bytes:` while the file is copied or its bytes are scanned, `table:` while it is read as a
table, `row:` a pandera check of schemas/records.py, `set:` a query of flows/labels/set_checks.py, `trap:` one of
flows/labels/trap_checks.py, `format:` the reader of another tool's export.
"""

from __future__ import annotations

from dataclasses import dataclass

from agreement.errors import Problem
from schemas import format_reasons


@dataclass(frozen=True)
class Reason:
    code: str
    check: str
    meaning: str
    fix: str


# Code and check, then the meaning, then the fix.
_TABLE = """
no-such-file  bytes:open
    there is no file of that name
    Check the name and the folder.

not-a-regular-file  bytes:open
    a link, folder, pipe or device: only regular files are read
    Give the file itself.

cannot-be-opened  bytes:open
    the system does not let this user read it
    Check owner and permissions of the file.

changed-during-read  bytes:copy
    the file was written to while it was copied
    Wait until it is complete, then run the command again.

compressed  bytes:magic
    compressed files and archives are not opened
    Unpack it and give the file inside.

web-page  bytes:magic
    a web page instead of a file of labels, perhaps one that asks to sign in
    Open it in a browser to see what it says, then download the file again.

empty-file  bytes:size
    the file holds nothing but white space
    Export it again; a submission without rows is declared with --empty.

not-utf8  bytes:utf8
    bytes that are not UTF-8 text
    Save the file as UTF-8 (in a spreadsheet: "CSV UTF-8").

control-character  bytes:scan
    a NUL or another control character inside the text
    Remove the character; it is not part of any label or id.

bare-cr  bytes:scan
    a carriage return without a line feed
    Save the file with line ends LF or CRLF.

unterminated-quote  bytes:scan
    a quotation mark opens a cell and is never closed
    Close the cell on the line named, or double the mark if it is text.

stray-quote  bytes:scan
    a quotation mark inside a cell that does not begin with one, or text after the closing mark
    Put the whole cell in quotation marks and double those inside.

ragged-row  bytes:scan
    the row has more or fewer cells than the header
    Correct the row: a comma in a text needs quotation marks around it.

blank-line  bytes:scan
    an empty line among the rows
    Delete the line.

truncated  bytes:scan
    the last line is incomplete and has no line end: perhaps half a file
    Copy or export the file again.

too-large  bytes:scan
    a row over 2,000,000 bytes, or more than 1,000 columns
    Leave out what is not a label; a mark that is never closed also does this.

unreadable  table:read
    the reader could not read it though nothing above was found
    Export it again in another format and tell us.

header-not-first  table:header
    titles, or a line for spreadsheet programs, stand above the header
    Delete the lines above the header: it is the first line of the file.

duplicate-column  table:header
    two columns have one name (case does not count)
    Rename one of them.

blank-column  table:header
    a column has no name
    Name it in the first line.

missing-column  table:columns
    a column that is needed is not there
    Name it as expected, or map it under `columns:` in round.yaml.

unexpected-column  table:columns
    a column nobody asked for; a label file shows what was blind, so extras are refused
    Delete it, map it under `columns:`, or list it under `ignore:` in round.yaml.

constant-and-column  table:columns
    a column is in the file and also set under `constants:`
    Remove one of the two.

no-rows  table:rows
    a header and no rows
    Export it again; a submission without rows is declared with --empty.

bad-json  table:json
    the line is not one JSON object
    Write one object on each line.

json-array  table:json
    an entry of a JSON list is not an object
    Write one object for each row.

duplicate-key  table:json
    one object has the same key twice
    Keep one of them.

nested-value  table:json
    a list or object where one value is expected
    Flatten it, or leave the key out if it is not needed.

column-type  table:parquet
    a Parquet column that is not text, whole number, true/false or time
    Write the column as text.

damaged-parquet  table:parquet
    the Parquet file cannot be read
    Export it again.

damaged-workbook  table:workbook
    the Excel file cannot be read
    Save it again, or as CSV UTF-8.

several-sheets  table:workbook
    more than one sheet holds data
    Save the sheet that holds the labels as a file of its own.

formula-cell  table:workbook
    a cell holds a formula, so its value depends on a program
    Paste the values (Paste special), or save as CSV UTF-8.

error-cell  table:workbook
    a cell holds an error of the spreadsheet program
    Correct the cell.

converted-cell  table:workbook
    the spreadsheet program turned the text into a date or a fraction
    Format the column as text and enter it again.

unknown-annotator  row:unknown-annotator
    not on the registered roster
    Correct the id, or map it under `annotators:` in round.yaml.

adjudicator-as-annotator  row:adjudicator-as-annotator
    this person decides contested items, so is not an independent annotator
    Give decisions to `goldgate adjudicate`.

unknown-status  row:unknown-status
    not one of the six statuses
    Use labelled, abstained, skipped, draft, submitted_empty or never_shown.

unknown-origin  row:unknown-origin
    not one of the five origins
    Use own, prediction, copied, reviewer or gold.

blank-label  row:blank-label
    labelled, but the label is empty; blank never means abstain
    Give the label, or the status that says why there is none.

unknown-label  row:unknown-label
    not a category of the registered guideline version
    Use a registered category, or map the spelling under `labels:` in round.yaml.

near-miss-label  row:near-miss-label
    nearly a registered category: nothing is repaired silently
    Write it exactly, or map the spelling under `labels:` in round.yaml.

several-labels  row:several-labels
    several categories in one answer
    Make one yes/no study per option; all can be fed from this file.

label-without-answer  row:label-without-answer
    a label beside a status that says there is none
    Remove the label or correct the status.

abstain-without-reason  row:abstain-without-reason
    abstained without a reason
    Give one of the declared reasons.

undeclared-abstain-reason  row:undeclared-abstain-reason
    not a declared reason for abstaining
    Use a declared reason.

reason-without-abstention  row:reason-without-abstention
    a reason for abstaining beside another status
    Remove the reason or correct the status.

other-guideline-version  row:other-guideline-version
    labelled under another guideline version than the round's
    Bring it into the round of that version.

bad-time  row:bad-time
    not an ISO 8601 date or time
    Write it like 2026-04-01T09:30:00Z.

blank-id  row:blank-id
    the item id or version is empty
    Give the id.

id-not-nfc  row:id-not-nfc
    looks like another id but is other characters (Unicode normal form C is required)
    Export the ids as they stand in the item pool.

id-characters  row:id-characters
    invisible, control or other characters that ids do not have
    Export the ids as they stand in the item pool.

id-too-long  row:id-too-long
    longer than an id may be
    Export the ids as they stand in the item pool.

unknown-item  set:unknown_items
    not among the items of this round
    Check the id, or that the file belongs to this round.

near-miss-item  set:unknown_items
    nearly an item of this round; ids are opaque and compared exactly
    Export the ids as text, as they stand in the item pool.

other-round  set:unknown_items
    an item of another round of this study
    Leave the row out, or run again with --set-aside other-round.

other-item-version  set:other_versions
    labelled on another version of the item than the one frozen
    Leave the row out, or run again with --set-aside other-version.

gold-row  set:gold_rows
    a control item with a known answer, not a blind label
    Leave it out, or run again with --set-aside gold.

duplicate-row  set:duplicates
    one annotator labelled one item twice, alike
    Keep one row; a study may register a duplicate rule instead.

conflicting-duplicate  set:duplicates
    one annotator gave one item two answers
    Find out which counts and keep that row; a study may register a duplicate rule instead.

changed-label  set:changed
    another answer than the one that already came in for this round
    If it was corrected: run again with --revision REASON. Both are kept, the last counts.

duplicate-item  frame:items
    the item stands more than once among the round's items
    Keep one row per item.

unknown-slice  frame:items
    not a slice of the registered study
    Use a registered slice.

outside-slice  frame:items
    the item does not meet the condition its slice was registered with
    Correct the slice or the column; an item belongs to the first stratum that fits.

bad-probability  frame:items
    not a probability between 0 and 1
    Write a decimal such as 0.25, or a fraction such as 1/4.

duplicate-assignment  frame:assignments
    the item is assigned twice to one annotator
    Keep one row.

one-annotator  frame:assignments
    agreement needs two independent annotators on an item
    Assign a second one.

not-decidable  decisions:rows
    not an item a decision can be about
    Decide items of the round named.

unknown-adjudicator  decisions:rows
    not an adjudicator of the registered roster
    Correct the id.

blank-reason  decisions:rows
    a decision without a reason
    Say why in a sentence; it is what the next guideline is made from.

constant-item-id  trap:constant_item
    all answers, also several of one annotator, have one item id
    Name the key or column that tells the items apart.

transposed-matrix  trap:transposed
    annotators stand where items should: rows and columns are swapped
    Turn the table: one row an item, one column an annotator.

one-author  trap:one_author
    one name on all labels, though several independent passes were promised
    Check who is signed in while labelling: independent passes need different people.

abstention-spelling  trap:abstention_spelling
    a label that means "cannot judge" and is written otherwise than declared
    Map the spelling to its reason under `abstentions:` in round.yaml, so that all rounds mean one thing.

bad-item-id  frame:items
    an item id or version that is not one
    Ids are 1 to 200 letters, digits and common marks, without spaces at their ends.

bad-source  outcomes:rows
    not a name of a source
    Use a name such as appeal, incident or regulator.

schema-unspecified  row:any
    the schema refused the rows without saying which
    Tell us, with the file if you can.
"""


def _read(table: str) -> dict[str, Reason]:
    reasons = {}
    for entry in table.strip().split("\n\n"):
        head, meaning, fix = (line.strip() for line in entry.splitlines())
        code, check = head.split()
        reasons[code] = Reason(code, check, meaning, fix)
    return reasons


REASONS = _read(_TABLE) | _read(format_reasons.TABLE)


def problem(
    code: str,
    message: str,
    *,
    file: str | None = None,
    line: int | None = None,
    column: str | None = None,
    value: str | None = None,
    fix: str | None = None,
) -> Problem:
    """A Problem of a known code, with the table's fix unless this case has a better one. KeyError if unknown."""
    return Problem(code, message, REASONS[code].fix if fix is None else fix, file, line, column, value)

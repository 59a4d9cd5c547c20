"""The reasons for refusing the export of another tool; what schemas/reasons.py says of its own holds for these."""

TABLE = """
unknown-format  format:any
    nothing is known of a format of this name or shape
    Name it with --format, or describe its columns in a map (configs/formats/README.md).

ambiguous-format  format:any
    several formats would claim the file
    Name one of them with --format.

mixed-formats  format:any
    files of different kinds, or one that is not of the kind named
    Bring the files of each format in on their own.

no-stable-item-id  format:any
    the items carry no id of the user's own, and a database id is never taken silently
    Name the key that holds your own id (--item KEY), or 'content-hash' to pair by content.

missing-item-id  format:any
    an item has nothing under the key of its id
    Give every item the key, or name another one.

several-questions  format:any
    the file holds several questions and none was chosen
    Choose one with --question.

unknown-question  format:any
    the file does not hold the question that was named
    Choose one that is in the file with --question.

no-answers  format:any
    nothing in the file answers the question
    Check that this is the export you meant, and that it includes annotations.

no-annotator  format:any
    an answer does not say whose it is
    Export it with annotators; or, if one person made the whole file, name that person.

merged-annotators  format:any
    the answers of all annotators were merged: who said what is lost
    Export one file a member (doccano: without 'collaborative annotation').

consolidated-label  format:any
    labels that a tool made out of several annotators' answers
    Give the workers' own answers (worker-response JSON) beside the manifest.

span-format  format:any
    parts of an item are marked, so there is no one answer to compare
    goldgate compares one answer an item; spans need another measure. Make a yes/no study per item.

adjudication-file  format:any
    decisions of reviewers where independent labels are asked for
    These are decisions, not blind labels: give them to `goldgate adjudicate`.

mixed-view-ids  format:any
    one answer means different things in the interfaces that are mixed here
    Export one interface at a time: the same answer means different things in each.

ambiguous-answer  format:any
    several answers are marked and nothing says which was the last
    Export again with the change history; which answer was the last cannot be told from this.

reviewer-as-annotator  format:any
    somebody reviewed an item and labelled it too
    Leave out the reviewer's own labels of items they reviewed, or choose another annotator.

several-projects  format:any
    the file holds several projects
    Export one project at a time.

uneven-lists  format:any
    lists that belong together differ in length or are none
    Export it again; answers, people and statuses no longer belong together.

control-overwrites-data  format:any
    the answer has the name of a key of the item and has overwritten it
    Export as Label Studio JSON: here the answer has overwritten the item's own data.

no-class-names  format:any
    labels are numbers, and the names of the numbers are not in the files
    Give dataset_info.json beside the data: class numbers mean nothing without their names.

class-out-of-range  format:any
    a class number beyond the list of names
    The class list belongs to another version of the data set; export both together.

unknown-column  format:any
    a map names a column the file does not have
    Correct the map: it names a column the file does not have.

unsafe-archive  format:any
    the archive is damaged, locked, far too large, or a name in it leaves its folder
    Unpack the archive and give the files inside.

two-paths  format:any
    two files have one name
    Rename one of the files.

unknown-zone  format:any
    a time's zone is an abbreviation that several places use
    Add the zone's abbreviation and offset to the map's `zones:`.

bad-text  format:any
    half a character stands in a text
    Export it again; a half character stands where text should be.

undeclared-value  format:any
    a value the map says nothing about
    Say in the map what this value means.
"""

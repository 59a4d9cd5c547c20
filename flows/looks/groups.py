"""Items whose rows stand in several groups of the column that figures are split by."""

from __future__ import annotations

from flows.storage.store import Connection, rows
from schemas.names import shown


def keep_groups_whole(con: Connection, by: str) -> list[str]:
    """Take items out of every group if their own rows name several, and say how many; the whole still counts them.

    An item that is split has lost pairs, most of all those that disagree. A column that says the same of all rows of
    an annotator (their team, a round with people of its own) splits the people, not the items, and is left alone.
    """
    split = "select item from kept group by item having count(distinct coalesce(grp, '')) > 1"
    n = rows(con, f"select count(*) from ({split})")[0][0]
    if not n:
        return []
    of_people = "select 1 from kept group by annotator having count(distinct coalesce(grp, '')) > 1 limit 1"
    if not rows(con, of_people):
        return [f"{n:,} items are in several groups: {shown(by)} tells annotators apart, so each group has its own"]
    con.execute(f"update kept set grp = null where item in ({split})")
    return [f"{n:,} items are in no group: their rows differ in {shown(by)}"]

"""A project on a network file system is refused at the start: locks are not reliable there (faults.md, 74)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agreement.errors import ConfigError
from flows.storage import network
from flows.storage.network import network_file_system

# Lines as the Linux kernel writes them (proc(5), fstab(5)): device, place, kind, options, two numbers.
TABLE = """\
/dev/sda1 / ext4 rw,relatime 0 0
server:/export /home nfs4 rw,vers=4.2 0 0
/dev/sdb1 /home/ada/local xfs rw 0 0
//share/team /mnt/our\\040team cifs rw 0 0
me@host: /mnt/ssh fuse.sshfs rw 0 0
overlay /mnt/ssh/over overlay rw 0 0
/dev/sdc1 /mnt/covered ext4 rw 0 0
server:/x /mnt/covered nfs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/srv/data", None),
        ("/home/ada/data", "nfs4"),
        ("/home", "nfs4"),
        ("/homestead", None),  # begins alike, lies elsewhere
        ("/home/ada/local/data", None),  # a local disk mounted below
        ("/mnt/our team/data", "cifs"),
        ("/mnt/ssh/data", "fuse.sshfs"),
        ("/mnt/ssh/over/data", None),
        ("/mnt/covered", "nfs"),  # mounted over: the later one is what is seen
    ],
)
def test_the_mount_a_folder_lies_on_decides(tmp_path: Path, folder: str, kind: str | None) -> None:
    table = tmp_path / "mounts"
    table.write_text(TABLE)
    assert network_file_system(Path(folder), table) == kind


def test_where_no_table_of_mounts_is_nothing_is_said(tmp_path: Path) -> None:
    assert network_file_system(tmp_path, tmp_path / "none") is None


def test_a_project_there_is_refused_with_what_to_do_and_nothing_is_written(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mounts"
    table.write_text("server:/export / nfs4 rw 0 0\n")
    monkeypatch.setattr(network, "MOUNTS", table)
    with pytest.raises(ConfigError, match="nfs4") as refused:
        make.register()
    assert [(p.code, bool(p.fix)) for p in refused.value.problems] == [("network-file-system", True)]
    assert not make.project.root.exists()

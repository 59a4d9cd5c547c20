"""Whether a folder lies on a network file system, where locks and fsync do not hold what they promise."""

from __future__ import annotations

from pathlib import Path

from agreement.errors import ConfigError, Problem

# As the table of mounts names them. Cluster file systems that keep POSIX locks over all machines (Lustre, GPFS, CephFS)
# are not among them, nor is what a container shares with its own host (9p, virtiofs).
NETWORK = {
    *("afs", "cifs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs", "ncpfs", "nfs", "nfs4"),
    *("smb3", "smbfs"),
}
MOUNTS = Path("/proc/self/mounts")


def require_local_disk(folder: Path) -> None:
    """ConfigError where a project would lie on a network file system: two commands could both hold its lock."""
    kind = network_file_system(folder, MOUNTS)
    if kind is None:
        return
    why = f"the folder lies on a network file system ({kind}), whose locks cannot be relied on"
    fix = "Give a folder on a local disk with --root, and copy reports and releases from there."
    raise ConfigError(f"{folder}: {why}", [Problem("network-file-system", why, fix, file=folder.name)], fix)


def network_file_system(folder: Path, mounts: Path) -> str | None:
    """The kind of network file system a folder lies on; None for a local one, or where no table of mounts is.

    The folder need not exist yet. The longest mount point above it counts; of two at one place the later one.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    where = folder.resolve()
    kind, longest = "", -1
    for line in lines:
        _, point, name, *_ = (*line.split(" "), "", "", "")
        place = Path(_unescaped(point))
        if where.is_relative_to(place) and len(place.parts) >= longest:
            kind, longest = name, len(place.parts)
    return kind if kind in NETWORK else None


def _unescaped(point: str) -> str:
    """Space, tab, line feed and backslash are written as octal numbers."""
    for code, sign in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, sign)
    return point

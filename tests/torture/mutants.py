"""Defects planted in reader, ledger, gate and release, one at a time: do the tests beside them notice?

    python mutants.py [--every N] [--control]

A mutant is the source with one operator, comparison or constant changed (`<` to `<=`, `and` to `or`, `not x` to `x`, a
number moved by one, a branch never taken). It is loaded in place of the module, and the module's own tests are run. The
share of mutants caught is printed; those that lived are listed. `--control` runs the tests on unchanged sources, which
must all pass: otherwise "caught" would mean nothing.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
# What is mutated, and the tests that are to notice.
TARGETS = {
    "flows/storage/ledger.py": ["tests/flows/storage/test_ledger.py"],
    "flows/storage/objects.py": ["tests/flows/storage/test_objects.py", "tests/flows/test_redact.py"],
    "flows/storage/order.py": ["tests/flows/storage/test_order.py", "tests/flows/audit/test_verify.py"],
    "flows/reading/scan.py": ["tests/flows/reading/test_scan.py", "tests/flows/reading/test_tables.py"],
    "agreement/gate.py": ["tests/agreement/test_gate.py", "tests/agreement/test_gate_exhaustive.py"],
    "flows/releases/reference_set.py": ["tests/flows/releases/test_release.py", "tests/flows/test_release_content.py"],
    "flows/releases/release_check.py": ["tests/flows/test_release_content.py"],
}
SWAPPED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="only every n-th mutant")
    parser.add_argument("--control", action="store_true", help="unchanged sources")
    options = parser.parse_args(arguments)
    caught, lived = 0, []
    for target, tests in TARGETS.items():
        source = (REPOSITORY / target).read_text()
        mutants = [("unchanged", source)] if options.control else list(_mutants(source))[:: options.every]
        for what, text in mutants:
            if _tests_fail(target, text, tests):
                caught += 1
            else:
                lived.append(f"{target}: {what}")
    total = caught + len(lived)
    share = round(100 * caught / total, 1)
    print(json.dumps({"mutants": total, "caught": caught, "share caught, %": share}))
    print(*lived, sep="\n")
    return (1 if caught else 0) if options.control else (0 if share >= 95 else 1)


def _mutants(source: str) -> Iterator[tuple[str, str]]:
    """Every single change of the source, and what it is."""
    n_nodes = sum(1 for _ in ast.walk(ast.parse(source)))
    for number in range(n_nodes):
        tree = ast.parse(source)
        node = next(node for i, node in enumerate(ast.walk(tree)) if i == number)
        before = ast.unparse(node) if isinstance(node, ast.expr | ast.stmt) else ""
        if _change(node):
            yield f"line {node.lineno}: {before[:60]} -> {ast.unparse(node)[:60]}", ast.unparse(tree)  # type: ignore[attr-defined]


def _change(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        node.ops[0] = SWAPPED[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    elif isinstance(node, ast.If):
        node.test = ast.Constant(False)
    else:
        return False
    return True


def _tests_fail(target: str, text: str, tests: list[str]) -> bool:
    """The mutant is put before the real module on the import path, in a copy of its package's folder of links."""
    with tempfile.TemporaryDirectory(prefix="goldgate-mutant-") as scratch:
        for name in ("agreement", "schemas", "flows", "tests", "configs", "data"):
            _link(REPOSITORY / name, Path(scratch) / name, Path(target))
        (Path(scratch) / "pyproject.toml").symlink_to(REPOSITORY / "pyproject.toml")
        (Path(scratch) / target).write_text(text)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
        environment = {**os.environ, "PYTHONPATH": scratch, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(command, cwd=scratch, env=environment, capture_output=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return True
        return done.returncode != 0


def _link(source: Path, copy: Path, target: Path) -> None:
    """The folder as links to its files, so that one can be replaced."""
    for path in source.rglob("*"):
        if path.is_dir() or "__pycache__" in path.parts or ".duckdb" in path.name:
            continue
        link = copy / path.relative_to(source)
        if link.relative_to(copy.parent) == target:
            continue
        link.parent.mkdir(parents=True, exist_ok=True)
        # Modules find their neighbours by their own path, so Python files are copied.
        if path.suffix in (".py", ".sql"):
            link.write_bytes(path.read_bytes())
        else:
            link.symlink_to(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

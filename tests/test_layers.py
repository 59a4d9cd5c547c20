"""Who may import whom, and what no start of a reading command may load."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[1]
LAYERS = ("agreement", "schemas", "flows")

# Layer -> what it may import besides the standard library.
MAY_IMPORT = {
    "agreement": {"agreement", "numpy", "scipy"},
    "schemas": {"agreement", "schemas", "pandera", "polars", "pydantic", "yaml"},
    "flows": {
        *LAYERS,
        *("altair", "duckdb", "filelock", "httpx", "jinja2", "markupsafe", "numpy", "openpyxl", "prefect", "pyarrow"),
        *("rich", "typer", "vl_convert"),
    },
}
# Package -> the only modules that import it.
ONLY_IN = {
    "duckdb": {"flows/storage/store.py"},
    "prefect": {
        "flows/orchestration/prefect_api.py",
        "flows/orchestration/run_inbox.py",
        "flows/run_round.py",
        "flows/serve.py",
    },
    "filelock": {"flows/storage/project.py"},
    "yaml": {"schemas/strict_yaml.py"},
    "pandera": {"schemas/records.py"},
    "polars": {"schemas/records.py"},
}
INSTALLED_AS = {"yaml": "pyyaml", "vl_convert": "vl-convert-python"}  # imported under another name


def modules(layer: str) -> list[Path]:
    return sorted((REPOSITORY / layer).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """Top-level names of all imports of a module, inside functions too. Relative ones stay in their layer."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module).split(".")[0]


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_go_from_agreement_to_schemas_to_flows_and_never_back(layer: str) -> None:
    found = {(path.name, name) for path in modules(layer) for name in imported(path)}
    beyond = {(file, name) for file, name in found if name not in MAY_IMPORT[layer] | set(sys.stdlib_module_names)}
    assert len(found) > 20
    assert beyond == set()


@pytest.mark.parametrize(("package", "files"), ONLY_IN.items())
def test_some_packages_are_imported_in_few_places(package: str, files: set[str]) -> None:
    everywhere = [path for layer in LAYERS for path in modules(layer)]
    found = {path.relative_to(REPOSITORY).as_posix() for path in everywhere if package in imported(path)}
    assert found == files


def test_what_is_imported_is_listed_and_what_is_listed_is_imported() -> None:
    listed = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    names = {line.split("[")[0].split(">")[0].split("=")[0].split("<")[0].strip() for line in listed}
    used = {name for layer in LAYERS for path in modules(layer) for name in imported(path)}
    used -= {*LAYERS, *sys.stdlib_module_names}
    assert {INSTALLED_AS.get(name, name) for name in used} == names


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory, maker_in: Callable[..., Any]) -> Path:
    """A small real project, gated."""
    make = maker_in(tmp_path_factory.mktemp("started"))
    make.register()
    make.gated({"uniform": {"++": 20, "--": 20}})
    return Path(make.project.root)


STARTS = [["--help"], ["history", "promises"], ["history", "promises", "--json"], ["gate", "r1"], ["verify"]]


@pytest.mark.parametrize("arguments", STARTS, ids=" ".join)
def test_reading_commands_load_neither_prefect_nor_polars_nor_altair(gated: Path, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "flows.cli", *arguments],
        env={**os.environ, "GOLDGATE_ROOT": str(gated)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    loaded = {line.split("|")[-1].strip().split(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert "typer" in loaded
    assert loaded & {"prefect", "polars", "altair", "pandera"} == set()
    if arguments == ["--help"]:
        assert loaded & {"duckdb", "numpy", "scipy", "pydantic", "pyarrow"} == set()


@pytest.mark.parametrize("layer", LAYERS)
def test_nothing_is_opened_or_computed_when_a_module_is_imported(layer: str) -> None:
    """At module level there are definitions, constants and imports, and no statement that does something."""
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    allowed = (ast.Import, ast.ImportFrom, *definitions, ast.Assign, ast.AnnAssign, ast.AugAssign)
    for path in modules(layer):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            # `if __name__`, `if TYPE_CHECKING`, and the loop that gives commands to the command line
            guarded = isinstance(node, ast.If | ast.For)
            assert docstring or guarded or isinstance(node, allowed), f"{path.name}:{node.lineno}"


def test_no_module_is_longer_than_400_lines() -> None:
    long = {p.name: n for layer in LAYERS for p in modules(layer) if (n := len(p.read_text().splitlines())) > 400}
    assert long == {}

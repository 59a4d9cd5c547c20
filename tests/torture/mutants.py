"""Defects planted in reader, ledger, gate and release, one at a time: do the tests beside them notice?

    python mutants.py [--only PART] [--every N] [--jobs N] [--control]

A mutant is the source with one thing changed (mutations.py). Each target is copied once into a folder of its own, where
its file is replaced by one mutant after the other; for each, a forked process runs the target's own tests until one
fails. The unchanged source goes first and must pass: otherwise "caught" would mean nothing. A mutant that uses up its
processor time is caught too. The share caught is printed, and those that lived are listed. `--control` runs the
unchanged sources only.
"""

from __future__ import annotations

import argparse
import compileall
import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import mutations

REPOSITORY = Path(__file__).parents[2]
PROCESSOR_SECONDS = 120
# Loaded once a target and then shared by all its mutants: nothing of it can be changed by one.
PACKAGES = ("pytest", "hypothesis", "numpy", "scipy.stats", "duckdb", "polars", "pandera.polars", "pydantic", "yaml")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="", help="targets whose path holds this")
    parser.add_argument("--every", type=int, default=1, help="only every n-th mutant")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time")
    parser.add_argument("--control", action="store_true", help="unchanged sources only")
    parser.add_argument("--target", help=argparse.SUPPRESS)  # what a process of our own is told
    options = parser.parse_args(arguments)
    if options.target:
        for line in _outcomes(options.target, options.every, options.control):
            print(json.dumps(line), flush=True)
        return 0
    targets = [target for target in mutations.TARGETS if options.only in target]
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = [
            line for found in pool.map(lambda target: _in_own_process(target, options), targets) for line in found
        ]
    return _report(outcomes, options.control)


def _in_own_process(target: str, options: argparse.Namespace) -> list[tuple[str, str, bool]]:
    """The outcomes of one target, each printed as it comes."""
    command = [sys.executable, __file__, "--target", target, "--every", str(options.every)]
    command += ["--control"] if options.control else []
    found = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # asked for
        for line in process.stdout:
            what, caught = json.loads(line)
            found.append((target, what, caught))
            if what == "unchanged" or not caught:
                print(f"{target}: {what}: {'a test fails' if caught else 'no test fails'}", file=sys.stderr, flush=True)
    if process.returncode:
        raise SystemExit(f"{target}: the process that tries its mutants ended with {process.returncode}")
    return found


def _report(outcomes: list[tuple[str, str, bool]], control: bool) -> int:
    broken = [target for target, what, caught in outcomes if what == "unchanged" and caught]
    if control or broken:
        print(json.dumps({"targets": len({target for target, *_ in outcomes}), "unchanged and failing": broken}))
        return 1 if broken else 0
    tried = [line for line in outcomes if line[1] != "unchanged"]
    lived = [f"{target}: {what}" for target, what, caught in tried if not caught]
    caught = len(tried) - len(lived)
    share = round(100 * caught / len(tried), 1)
    print(json.dumps({"mutants": len(tried), "caught": caught, "share caught, %": share}))
    print(*lived, sep="\n")
    return 0 if share >= 95 else 1


def _outcomes(target: str, every: int, control: bool) -> Iterator[tuple[str, bool]]:
    """Each mutant of a target, and whether a test failed; the unchanged source first, and alone if that fails."""
    with tempfile.TemporaryDirectory(prefix="goldgate-mutant-") as scratch:
        copy = Path(scratch) / "copy"
        _copy_of_the_repository(copy, target)
        sys.path[:0] = [str(copy)]
        os.environ |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        sys.dont_write_bytecode = True
        os.chdir(copy)
        _load_what_stays(target)
        source = (copy / target).read_text()
        failed = _tests_fail(copy, target)
        yield "unchanged", failed
        if failed or control:
            return
        for what, text in list(mutations.mutants(target, source))[::every]:
            (copy / target).write_text(text)
            yield what, _tests_fail(copy, target)


def _load_what_stays(target: str) -> None:
    """Packages, and our own layers below the target's, as they stand in the copy."""
    for name in PACKAGES:
        importlib.import_module(name)
    for layer in ("agreement", "schemas") if target.startswith("flows") else ():
        for path in sorted(Path(layer).glob("*.py")):
            importlib.import_module(f"{layer}.{path.stem}" if path.stem != "__init__" else layer)


def _tests_fail(copy: Path, target: str) -> bool:
    child = os.fork()
    if child == 0:
        _run_tests(copy, mutations.TARGETS[target])
    _, status = os.waitpid(child, 0)
    shutil.rmtree(copy.parent / "tmp", ignore_errors=True)
    return os.waitstatus_to_exitcode(status) != 0


def _run_tests(copy: Path, tests: list[str]) -> None:
    """In the forked process: the tests until the first that fails, said by the exit code. Does not come back."""
    import pytest

    log = os.open(copy.parent / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    _fail_at_the_first_example()
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
    quiet = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", f"--basetemp={copy.parent / 'tmp'}"]
    # The shared conftest loads every flow, so what does without it comes first.
    alone = [test for test in tests if test.startswith(mutations.WITHOUT_CONFTEST)]
    others = [test for test in tests if test not in alone]
    code = 3
    try:
        code = int(pytest.main([*quiet, "--noconftest", *alone])) if alone else 0
        if others and not code:
            code = int(pytest.main([*quiet, *others]))
    finally:
        os._exit(code)


def _fail_at_the_first_example() -> None:
    """Hypothesis need not look for a simpler example of a defect, nor remember one."""
    from hypothesis import Phase, settings

    settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate], database=None, derandomize=True)
    settings.load_profile("mutants")


def _copy_of_the_repository(copy: Path, target: str) -> None:
    """Modules find their neighbours by their own path, so Python and SQL are copied; the rest is links.

    All but the target is compiled once: two mutants of one size and second would share what was compiled.
    """
    for path in REPOSITORY.rglob("*"):
        relative = path.relative_to(REPOSITORY)
        if relative.parts[0].startswith(".") or "__pycache__" in relative.parts or not path.is_file():
            continue
        link = copy / relative
        link.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in (".py", ".sql"):
            link.write_bytes(path.read_bytes())
        else:
            link.symlink_to(path)
    for layer in ("agreement", "schemas", "flows") if target.startswith("flows") else ("agreement",):
        compileall.compile_dir(copy / layer, quiet=1)
    Path(importlib.util.cache_from_source(str(copy / target))).unlink()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What is built to be installed holds all that goldgate needs away from its checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
BESIDE_THE_CODE = ("schemas/tables.sql", "flows/pages/templates/report.html.j2", "flows/pages/templates/base.css")
SHIPPED = ("configs", "data/sample")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("hatchling", reason="the build backend is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_maps_of_formats_the_examples_and_the_sample_study(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    here = {p.relative_to(CHECKOUT).as_posix() for top in SHIPPED for p in (CHECKOUT / top).rglob("*") if p.is_file()}
    here = {name for name in here if "__pycache__" not in name}
    assert {f"flows/installed/{name}" for name in here} <= names
    assert set(BESIDE_THE_CODE) <= names


def test_the_wheel_brings_no_tests_and_no_project_of_somebody(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"agreement", "schemas", "flows"}


def test_away_from_the_checkout_the_maps_and_the_sample_are_found(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    ask = "import flows.sample as s, flows.formats.presets as p; print(s.SAMPLE.is_dir(), *p.presets(), p.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ask], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    found, *presets, where = done.stdout.split()
    assert (found, presets) == ("True", ["langfuse", "langsmith", "mturk", "toloka"])
    assert Path(where).is_relative_to(tmp_path)

# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of other package managers: their form, and that what they name is there."""

import json
import re

from conftest import ROOT
from plait import __version__
from plait.packages import TABLE

PACKAGING = ROOT / "packaging"
# What the image and the container run with, beside what attach is built with.
RUN_WITH = {"libdw1", "python3-venv", "ninja-build", "openmpi-bin"}


def installed_by(text):
    """The packages that a text installs by apt-get."""
    calls = re.findall(r"apt-get install -y --no-install-recommends((?: [a-z0-9+.-]+)+)", text)
    assert calls
    return {name for call in calls for name in call.split()}


def test_containers_install_what_the_wheel_is_built_with():
    built_with = {package.debian for package in TABLE if package.part == "attach"}
    for name in ("Dockerfile", "plait.def"):
        names = installed_by((PACKAGING / "container" / name).read_text())
        assert {"g++", "cmake"} < names
        assert names <= built_with | RUN_WITH


def test_the_image_has_instructions_of_docker_alone():
    text = (PACKAGING / "container/Dockerfile").read_text().replace("\\\n", " ")
    instructions = [line.split()[0] for line in text.splitlines() if line and line[0] != "#"]
    assert instructions[0] == "FROM"
    assert set(instructions) == {"FROM", "RUN", "COPY", "ENV", "CMD"}


def test_the_definition_has_a_header_and_sections_of_apptainer_alone():
    head, *sections = re.split(r"^%", (PACKAGING / "container/plait.def").read_text(), flags=re.M)
    keys = [line.split(":")[0] for line in head.splitlines() if line and line[0] != "#"]
    assert keys == ["Bootstrap", "From"]
    names = [section.split()[0] for section in sections]
    assert names == ["files", "post", "environment", "runscript", "test"]


def test_the_easyconfig_is_python_with_what_easybuild_demands():
    (file,) = (PACKAGING / "easybuild").glob("*.eb")
    found = {"SOURCELOWER_TAR_GZ": "plait.tar.gz", "SHLIB_EXT": "so"}
    exec(file.read_text(), found)
    demanded = (
        "name",
        "version",
        "homepage",
        "description",
        "toolchain",
        "easyblock",
        "moduleclass",
    )
    assert [key for key in demanded if key not in found] == []
    chain = found["toolchain"]
    assert file.name == f"plait-{found['version']}-{chain['name']}-{chain['version']}.eb"
    assert found["version"] == __version__
    assert "--preset attach" in found["configopts"]


def test_the_recipe_of_conda_has_the_parts_of_its_form():
    text = (PACKAGING / "conda/recipe.yaml").read_text()
    assert "\t" not in text
    keys = re.findall(r"^([a-z_]+):", text, flags=re.M)
    assert keys == ["schema_version", "context", "package", "source", "build", "requirements",
                    "tests", "about"]  # fmt: skip
    assert f'version: "{__version__}"' in text
    assert {len(line) - len(line.lstrip()) for line in text.splitlines()} <= {0, 2, 4, 6}


def test_recipes_name_a_preset_that_there_is():
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    names = {preset["name"] for preset in presets}
    for recipe in (*PACKAGING.glob("conda/*"), *PACKAGING.glob("easybuild/*")):
        named = set(re.findall(r"--preset (\w+)", recipe.read_text()))
        assert named
        assert named <= names

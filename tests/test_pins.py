"""The pinned packages are complete, and stay what is installed when newer releases of every package appear."""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
# what each file of pins is for: extras of the project, and groups of pyproject.toml
FILES = {"constraints.txt": (("all",), ("dev",)), "constraints-run.txt": (("plots",), ("build",))}
SYSTEMS = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}
ENVIRONMENTS = [
    {"python_version": version, "python_full_version": f"{version}.0", "sys_platform": system, "platform_system": name}
    for version, (system, name) in product(("3.11", "3.12", "3.13", "3.14"), SYSTEMS.items())
]


def name_of(requirement):
    return canonicalize_name(requirement.name)


def pins(file):
    """The pinned requirements of a file, by name."""
    lines = re.sub(r"\\\n", "", (ROOT / file).read_text("utf-8")).splitlines()
    found = [Requirement(line.split(" --hash")[0]) for line in lines]
    return {name_of(requirement): requirement for requirement in found}


def pyproject():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def requirements_of_group(name):
    for entry in pyproject()["dependency-groups"][name]:
        yield from requirements_of_group(entry["include-group"]) if isinstance(entry, dict) else [Requirement(entry)]


def requirements_of_project(extras, groups):
    project = pyproject()["project"]
    texts = [*project["dependencies"], *(text for extra in extras for text in project["optional-dependencies"][extra])]
    own = [Requirement(text) for text in texts]
    for requirement in [each for each in own if name_of(each) == "steelyard"]:
        own += requirements_of_project(requirement.extras, ())
    return [each for each in own if name_of(each) != "steelyard"] + [
        each for group in groups for each in requirements_of_group(group)
    ]


def holds(requirement, environment, extras=()):
    return requirement.marker is None or any(
        requirement.marker.evaluate(environment | {"extra": extra}) for extra in ("", *extras)
    )


def installed(pin):
    """The distribution of a pin; None if it belongs to another system or version of Python."""
    try:
        found = distribution(pin.name)
    except PackageNotFoundError:
        assert pin.marker is not None, f"{pin} is pinned and not installed"
        return None
    if str(found.version) not in pin.specifier:
        pytest.skip(f"{found.name} {found.version} is installed, not {pin}: not the environment of `make test`")
    return found


def requirements_of(pin):
    found = installed(pin)
    return [Requirement(text) for text in (found.requires if found else None) or ()]


def unmet(file, environment):
    """Requirements of the project and of pinned packages for which there is no pin, or one without their extras."""
    pinned = {name: pin for name, pin in pins(file).items() if holds(pin, environment)}
    asked = [("steelyard", each) for each in requirements_of_project(*FILES[file]) if holds(each, environment)]
    for pin in pinned.values():
        asked += [(pin.name, each) for each in requirements_of(pin) if holds(each, environment, pin.extras)]
    for asking, requirement in asked:
        pin = pinned.get(name_of(requirement))
        version = "" if pin is None else next(iter(pin.specifier)).version
        if pin is None or not requirement.extras <= pin.extras or not requirement.specifier.contains(version, True):
            yield f"{asking} asks for {requirement}, pinned is {pin}"


@pytest.mark.parametrize("file", FILES)
def test_every_requirement_has_a_pin_with_its_extras(file):
    found = {line for environment in ENVIRONMENTS for line in unmet(file, environment)}
    assert sorted(found) == []


def test_the_pins_for_running_are_those_of_development():
    development = pins("constraints.txt")
    different = [
        str(pin) for name, pin in pins("constraints-run.txt").items() if development[name].specifier != pin.specifier
    ]
    assert different == []


def write_wheel(folder, name, version, requires=(), extras=()):
    """An empty package; the hash of its file."""
    stem = f"{name.replace('-', '_')}-{version}"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Provides-Extra: {extra}" for extra in extras] + [f"Requires-Dist: {text}" for text in requires]
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{stem}.dist-info/METADATA", "\n".join(lines) + "\n")
        wheel.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{stem}.dist-info/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def offered(folder, file):
    """The lines of a file of pins for empty packages in a folder, where a newer release of each is on offer too."""
    for name, pin in pins(file).items():
        found = installed(pin)
        if found is None:
            continue
        write_wheel(folder, name, "9999")
        extras = found.metadata.get_all("Provides-Extra") or ()
        digest = write_wheel(folder, name, found.version, found.requires or (), extras)
        yield f"{pin} --hash=sha256:{digest}"


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pip") is None, reason="this environment has no pip")
@pytest.mark.parametrize("options", [[], ["--no-deps"]], ids=["with dependencies", "as in the Makefile"])
@pytest.mark.parametrize("file", FILES)
def test_newer_releases_of_every_package_change_nothing(file, options, tmp_path):
    lines = list(offered(tmp_path, file))
    (tmp_path / "pins.txt").write_text("\n".join(lines), "utf-8")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-qq",
        "--dry-run",
        "--ignore-installed",
        "--no-index",
        "--require-hashes",
    ]
    report = tmp_path / "report.json"
    words = ["--find-links", str(tmp_path), "-r", str(tmp_path / "pins.txt"), "--report", str(report), *options]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    metadata = [each["metadata"] for each in json.loads(report.read_text("utf-8"))["install"]]
    assert len(metadata) == len(lines)
    assert [each["name"] for each in metadata if each["version"] == "9999"] == []

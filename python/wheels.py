"""Builds the sdist and, from it, wheels for other systems: python wheels.py FOLDER [TAG...].

zig, from the package ziglang, is the C compiler for all of them. There is none for musl: it cannot load a Go library
into a process that runs, since Go's thread-local variables have a fixed place (initial-exec).
"""

import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# The tag of each wheel, with GOOS, GOARCH and zig's target. 2.17 is the oldest glibc, macOS 12 what Go 1.26 needs.
PLATFORMS = {
    "manylinux_2_17_x86_64.manylinux2014_x86_64": ("linux", "amd64", "x86_64-linux-gnu.2.17"),
    "manylinux_2_17_aarch64.manylinux2014_aarch64": ("linux", "arm64", "aarch64-linux-gnu.2.17"),
    "macosx_12_0_x86_64": ("darwin", "amd64", "x86_64-macos.12.0"),
    "macosx_12_0_arm64": ("darwin", "arm64", "aarch64-macos.12.0"),
    "win_amd64": ("windows", "amd64", "x86_64-windows-gnu"),
}

# What Go tells the linker of macOS to link with, though nothing here calls it. The lists of what these have are in
# Apple's SDK; empty ones do without it.
STUBS = {
    "libresolv.tbd": "/usr/lib/libresolv.9.dylib",
    "CoreFoundation.framework/CoreFoundation.tbd":
        "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation",
}
STUB = "--- !tapi-tbd\ntbd-version: 4\ntargets: [ x86_64-macos, arm64-macos ]\ninstall-name: {}\nexports: []\n...\n"


def stubs(folder):
    """Write the lists for macOS and return the linker's flags that find them."""
    for name, install in STUBS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(STUB.format(install))
    return f"-L{folder} -F{folder} -install_name @rpath/libsparsekm.dylib"


def build(unpacked, out, tag):
    """Build one wheel from an unpacked sdist, in a copy."""
    source = Path(shutil.copytree(unpacked, unpacked.with_name(tag)))
    system, processor, target = PLATFORMS[tag]
    environment = {**os.environ, "GOOS": system, "GOARCH": processor, "SPARSEKM_TAG": tag,
                   "CC": f"{sys.executable} -m ziglang cc -target {target}"}
    if system == "darwin":
        environment["SPARSEKM_LDFLAGS"] = stubs(source / "stubs")
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", out, source],
                   env=environment, check=True)


def main():
    """Build the sdist and the wheels."""
    out, tags = Path(sys.argv[1]).resolve(), sys.argv[2:] or list(PLATFORMS)
    if tags == ["native"]:
        system = {"linux": "manylinux", "darwin": "macosx"}.get(sys.platform, "win")
        tags = [tag for tag in PLATFORMS if tag.startswith(system) and tag.endswith(platform.machine().lower())]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, "setup.py", "-q", "sdist", "--formats=gztar", "-d", out],
                       cwd=Path(__file__).parent, check=True)
        [archive] = out.glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(scratch, filter="data")
        [source] = Path(scratch).iterdir()
        with ThreadPoolExecutor(os.cpu_count()) as pool:  # the compression takes longest, on one core
            list(pool.map(lambda tag: build(source, out, tag), tags))


if __name__ == "__main__":
    main()

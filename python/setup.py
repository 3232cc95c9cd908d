"""Builds the library in ../capi with Go and a C compiler (CC), and a wheel for every Python 3 around it."""

import os
import platform
import re
import shutil
import subprocess
import zipfile

import zopfli.zlib
from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

# Only packages whose Go code takes time are inlined: the wheel is a twentieth smaller so.
MODULE = "github.com/sparsekm/sparsekm"
HOT = ["math/...", *(f"{MODULE}/{package}" for package in ("simplex", "internal/cpu"))]
INLINE = ["-gcflags=all=-l", *(f"-gcflags={package}=" for package in HOT)]

HERE = os.path.dirname(os.path.abspath(__file__))


class BuildLibrary(build_py):
    """Puts the library next to the modules."""

    def run(self):
        super().run()
        if self.editable_mode:
            target = os.path.join(HERE, "sparsekm", "libsparsekm.so")
        else:
            target = os.path.join(os.path.abspath(self.build_lib), "sparsekm", "libsparsekm.so")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        subprocess.run(
            ["go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false",
             "-ldflags=-s -w -extldflags=-s", *INLINE, "-o", target, "."],
            cwd=os.path.join(HERE, os.pardir, "capi"), env={**os.environ, "CGO_ENABLED": "1", "GOWORK": "off"}, check=True)
        os.remove(os.path.splitext(target)[0] + ".h")
        if not self.editable_mode:  # the library carries code under these licences
            for name in ("LICENSE", "NOTICE"):
                shutil.copy(os.path.join(HERE, os.pardir, name), os.path.dirname(target))


class Wheel(bdist_wheel):
    """Names the wheel for any Python 3 and for the oldest glibc with the symbols of the library."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def run(self):
        super().run()
        for _, _, path in self.distribution.dist_files:
            squeeze(path)

    def get_tag(self):
        with open(os.path.join(self.bdist_dir, "sparsekm", "libsparsekm.so"), "rb") as library:
            asked = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library.read())]
        minor = max(asked, default=0)
        machine = platform.machine()
        tag = f"manylinux_2_{max(17, minor)}_{machine}"
        return "py3", "none", tag + (f".manylinux2014_{machine}" if minor <= 17 else "")


class Deflate:
    """A compressor for zipfile that takes its time."""

    def __init__(self, *_):
        self.data = bytearray()

    def compress(self, data):
        self.data += data
        return b""

    def flush(self):
        best = zopfli.zlib.compress(bytes(self.data), numiterations=5, blocksplittingmax=0)  # as many blocks as pay
        return best[2:-4]  # without zlib's header and checksum


def squeeze(path):
    """Compresses a wheel's files again, to a twentieth less: as deflate, which every installer reads."""
    with zipfile.ZipFile(path) as old:
        files = [(info, old.read(info)) for info in old.infolist()]
    usual = zipfile._get_compressor  # the standard library has no other place for a compressor
    zipfile._get_compressor = Deflate
    try:
        with zipfile.ZipFile(path, "w") as new:
            for info, data in files:
                new.writestr(info, data)
    finally:
        zipfile._get_compressor = usual


class Binary(Distribution):
    """Has a compiled library."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": BuildLibrary, "bdist_wheel": Wheel}, distclass=Binary)

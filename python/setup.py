"""Builds the library in C with Go and a C compiler (CC), and a wheel for every Python 3 around it.

GOOS and GOARCH say for which system, SPARSEKM_TAG under which name; wheels.py sets them. The sdist has the library's
sources, with the modules that they need, in the folder library.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zipfile

import zopfli.zlib
from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

# Only packages whose Go code takes time are inlined: the wheel is a thirtieth smaller so.
MODULE = "github.com/sparsekm/sparsekm"
HOT = ["math/...", "cmp", "slices", *(f"{MODULE}/{package}" for package in (
    "simplex", "smo", "gram", "internal/cpu", "learn", "learn/multiclass", "learn/svc"))]
INLINE = ["-gcflags=all=-l", *(f"-gcflags={package}=" for package in HOT)]

HERE = os.path.dirname(os.path.abspath(__file__))
UNPACKED = os.path.join(HERE, "library")  # of an sdist
SOURCES = UNPACKED if os.path.isdir(UNPACKED) else os.path.join(HERE, os.pardir, "capi")
LICENCES = HERE if SOURCES == UNPACKED else os.path.join(HERE, os.pardir)

LIBRARIES = {"linux": "libsparsekm.so", "darwin": "libsparsekm.dylib", "windows": "sparsekm.dll"}
HOST = {"darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")


def go(*arguments, **keywords):
    """Run go in the sources of the library, or end with the reason why that is impossible."""
    if not shutil.which("go"):
        sys.exit("sparsekm: building the library needs Go 1.26 or later, and there is no `go` in the PATH")
    environment = {**os.environ, "CGO_ENABLED": "1", "GOWORK": "off"}
    return subprocess.run(["go", *arguments], cwd=SOURCES, env=environment, check=True, **keywords)


class BuildLibrary(build_py):
    """Puts the library next to the modules."""

    def run(self):
        super().run()
        root = HERE if self.editable_mode else os.path.abspath(self.build_lib)
        system = os.environ.get("GOOS") or HOST
        target = os.path.join(root, "sparsekm", LIBRARIES[system])
        for name in LIBRARIES.values():  # of an earlier build
            if os.path.exists(path := os.path.join(root, "sparsekm", name)):
                os.remove(path)
        if system == "linux" and not os.environ.get("SPARSEKM_TAG") and "musl" in str(sysconfig.get_config_var("HOST_GNU_TYPE")):
            sys.exit("sparsekm: musl cannot load Go libraries into a process that runs; use a Python with glibc")
        compiler = shlex.split(os.environ.get("CC") or go("env", "CC", capture_output=True, text=True).stdout)
        if not compiler or not shutil.which(compiler[0]):
            sys.exit(f"sparsekm: building the library needs a C compiler, and there is no {' '.join(compiler)}; set CC")
        strip = "" if system == "darwin" else "-s"  # zig would strip symbols there that its own tables refer to
        linker = f"{strip} {os.environ.get('SPARSEKM_LDFLAGS', '')}"
        go("build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-tags=nolog", *INLINE,
           f"-ldflags=-s -w '-extldflags={linker.strip()}'", "-o", target, ".")
        os.remove(os.path.splitext(target)[0] + ".h")


class Wheel(bdist_wheel):
    """Names the wheel for any Python 3: it has no code for Python but its modules."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def run(self):
        super().run()
        for _, _, path in self.distribution.dist_files:
            squeeze(path)

    def get_tag(self):
        host = super().get_tag()[2].replace("universal2", platform.machine())  # the library is for one processor
        return "py3", "none", os.environ.get("SPARSEKM_TAG") or host


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


class Sources(sdist):
    """Adds the sources of the library, and of every module that it needs: building asks no proxy."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        library = os.path.join(os.path.abspath(base_dir), "library")
        if SOURCES == UNPACKED:
            shutil.copytree(SOURCES, library)
        else:
            shutil.copytree(SOURCES, library, ignore=shutil.ignore_patterns("*_test.go", "testdata"))
            vendor = os.path.join(library, "vendor")
            go("mod", "vendor", "-o", vendor)
            for folder, _, names in os.walk(vendor):
                for name in names:
                    if name.startswith("."):  # files of git
                        os.remove(os.path.join(folder, name))
        for name in ("LICENSE", "NOTICE"):
            shutil.copy(os.path.join(LICENCES, name), base_dir)


class Binary(Distribution):
    """Has a compiled library."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": BuildLibrary, "bdist_wheel": Wheel, "sdist": Sources}, distclass=Binary)

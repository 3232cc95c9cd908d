"""What wheels promise, read with lief from their libraries: python check_wheel.py WHEEL...

The C test of capi runs with the library for Windows where wine is installed, and with the one for Linux aarch64 where
qemu-aarch64-static is. The latter needs a glibc for aarch64: the folder QEMU_LD_PREFIX, or Debian's libc6-arm64-cross.
Both need the package ziglang.
"""

import base64
import csv
import hashlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import lief

HERE = Path(__file__).resolve().parent
PLATFORMS = runpy.run_path(str(HERE.parent / "wheels.py"))["PLATFORMS"]
MOST_BYTES = 3_400_000
LIBRARIES = {"linux": "libsparsekm.so", "darwin": "libsparsekm.dylib", "windows": "sparsekm.dll"}
HEADER = (HERE.parent.parent / "capi" / "sparsekm.h").read_text()
QEMU = "qemu-aarch64-static"
EXPORTS = set(re.findall(r"^(?:int|int64_t|void|const char \*)\s*(skm_\w+)\(", HEADER, re.MULTILINE))

# What each system has of itself: nothing else may be needed.
GLIBC = r"lib(c|pthread|dl|rt|m)\.so\.\d|ld-linux-(x86-64|aarch64)\.so\.\d"
MACOS = r"/usr/lib/lib(System\.B|resolv\.9)\.dylib|/System/Library/Frameworks/CoreFoundation\.framework/.*"
WINDOWS = r"(?i)kernel32\.dll|api-ms-win-crt-\w+-l1-1-0\.dll|msvcrt\.dll|ntdll\.dll"


def elf(library: Any, processor: str) -> set[str]:
    """Processor, libraries and symbol versions of a library for Linux; returns its exports."""
    want = {"amd64": lief.ELF.ARCH.X86_64, "arm64": lief.ELF.ARCH.AARCH64}[processor]
    assert library.header.machine_type == want, library.header.machine_type
    assert all(re.fullmatch(GLIBC, name) for name in library.libraries), library.libraries
    asked = {aux.name for need in library.symbols_version_requirement for aux in need.get_auxiliary_symbols()}
    newest = max(tuple(map(int, name.removeprefix("GLIBC_").split("."))) for name in asked)
    assert newest <= (2, 17), asked
    return {symbol.name for symbol in library.exported_symbols}


def macho(library: Any, processor: str) -> set[str]:
    """Processor, oldest system, libraries and signature of a library for macOS; returns its exports."""
    want = {"amd64": lief.MachO.Header.CPU_TYPE.X86_64, "arm64": lief.MachO.Header.CPU_TYPE.ARM64}[processor]
    assert library.header.cpu_type == want, library.header.cpu_type
    oldest = library.build_version.minos if library.has_build_version else library.version_min.version
    assert list(oldest)[:2] == [12, 0], oldest
    needs = [entry.name for entry in library.libraries if entry.command != lief.MachO.LoadCommand.TYPE.ID_DYLIB]
    assert needs and all(re.fullmatch(MACOS, name) for name in needs), needs
    assert processor == "amd64" or library.has_code_signature  # arm64 runs nothing without one
    return {symbol.name.removeprefix("_") for symbol in library.exported_symbols}


def pe(library: Any, processor: str) -> set[str]:
    """Processor and libraries of a library for Windows; returns its exports."""
    want = {"amd64": lief.PE.Header.MACHINE_TYPES.AMD64, "arm64": lief.PE.Header.MACHINE_TYPES.ARM64}[processor]
    assert library.header.machine == want, library.header.machine
    needs = [entry.name for entry in library.imports]
    assert needs and all(re.fullmatch(WINDOWS, name) for name in needs), needs
    return {entry.name for entry in library.get_export().entries}


# What Go asks for random numbers, which wine has since version 9.
RANDOM = """
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *data, unsigned long long n) {
    return SystemFunction036(data, (unsigned long)n);
}
"""


def compiled(target: str, out: Path, *arguments: Any) -> None:
    """Compile C by zig, with the flags of Go's own C, for which zig has compiled the C runtime already."""
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", target, "-g", "-O2"]
    subprocess.run([*zig, "-o", out, *arguments], check=True)


def run(library: bytes, tag: str, folder: Path) -> str:
    """Run the C test with a library for another system; return by what, or nothing where that is impossible."""
    system, processor, target = PLATFORMS[tag]
    glibc = os.environ.get("QEMU_LD_PREFIX", "/usr/aarch64-linux-gnu")
    by, root = "", ""
    origin: list[str] = []
    if system == "windows" and shutil.which("wine") and shutil.which("wineserver"):
        by, root = "wine", "Z:"
    elif (system, processor) == ("linux", "arm64") and shutil.which(QEMU) and Path(glibc, "lib").exists():
        by, origin = QEMU, ["-Wl,-rpath,$ORIGIN", "-lm", "-lpthread"]
    if not by:
        return ""
    (folder / LIBRARIES[system]).write_bytes(library)
    source, program = HERE.parent.parent / "capi" / "testdata" / "program.c", folder / "program.exe"
    compiled(target, program, "-std=c99", source, folder / LIBRARIES[system], *origin)
    command = [by, str(program), root + str(HERE.parent.parent / "testdata" / "ripley.train.libsvm")]
    environment = {**os.environ, "QEMU_LD_PREFIX": glibc, "WINEPREFIX": str(folder / "wine"), "WINEDEBUG": "-all"}
    try:
        if by == "wine":
            subprocess.run(["wine", "wineboot"], env=environment, stderr=subprocess.DEVNULL, check=True)
            part = folder / "wine" / "drive_c" / "windows" / "system32" / "bcryptprimitives.dll"
            if not part.exists():
                (folder / "random.c").write_text(RANDOM)
                compiled(target, part, "-shared", folder / "random.c", "-ladvapi32")
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        if by == "wine":  # its server would write to the folder for some seconds more
            subprocess.run(["wineserver", "-k"], env=environment)
    assert (done.returncode, done.stdout) == (0, "done\n"), (done.returncode, done.stdout + done.stderr)
    return f", runs by {by}"


def check(wheel: Path) -> None:
    """One wheel: its name, its files and its library."""
    name = re.fullmatch(r"sparsekm-[\w.]+-py3-none-(.+)\.whl", wheel.name)
    assert name, wheel.name
    tag = name[1]
    system, processor, _ = PLATFORMS[tag]
    path = f"sparsekm/{LIBRARIES[system]}"
    with zipfile.ZipFile(wheel) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist()}
    assert wheel.stat().st_size <= MOST_BYTES, wheel.stat().st_size
    assert {path, "sparsekm/py.typed"} <= set(files)
    assert [entry for entry in files if entry.endswith((".so", ".dylib", ".dll", ".h", ".go"))] == [path]

    [info] = [entry.rpartition("/")[0] for entry in files if entry.endswith(".dist-info/WHEEL")]
    assert {f"{info}/licenses/LICENSE", f"{info}/licenses/NOTICE"} <= set(files)  # of the code in the library
    tags = re.findall(r"^Tag: py3-none-(.+)$", files[f"{info}/WHEEL"].decode(), re.MULTILINE)
    assert set(tags) == set(tag.split(".")), tags
    for entry, record, _ in csv.reader(files[f"{info}/RECORD"].decode().splitlines()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[entry]).digest()).decode().rstrip("=")
        assert record == f"sha256={digest}" or entry == f"{info}/RECORD", entry

    read = {"linux": elf, "darwin": macho, "windows": pe}[system]
    got = {export for export in read(lief.parse(files[path]), processor) if export.startswith("skm_")}
    assert got == EXPORTS, got ^ EXPORTS
    with tempfile.TemporaryDirectory() as folder:
        print(f"{wheel.name}: {wheel.stat().st_size} bytes{run(files[path], tag, Path(folder))}")


assert len(EXPORTS) > 20, EXPORTS
for argument in sys.argv[1:]:
    check(Path(argument))

"""What a wheel promises: python check_wheel.py WHEEL."""

import re
import sys
import zipfile
from pathlib import Path

MOST_BYTES, NEWEST_GLIBC = 3_125_000, 17  # 2.17

wheel = Path(sys.argv[1])
with zipfile.ZipFile(wheel) as archive:
    names = set(archive.namelist())
    library = archive.read("sparsekm/libsparsekm.so")
asked = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library)]
print(f"{wheel.name}: {wheel.stat().st_size} bytes, glibc 2.{max(asked)}")
assert asked and max(asked) <= NEWEST_GLIBC, asked
assert wheel.stat().st_size <= MOST_BYTES
assert "sparsekm/py.typed" in names and not any(name.endswith((".h", ".go")) for name in names)
assert {"sparsekm/LICENSE", "sparsekm/NOTICE"} <= names
assert re.search(r"-py3-none-manylinux_2_17_\w+\.manylinux2014_\w+\.whl$", wheel.name)

#!/usr/bin/env bash
# Builds the site into bin/site: the pages of docs, the recorded help of the command, Go packages, Python's docstrings and
# the C header. Nothing of the library is compiled. Needs Python 3.10 or later with venv, and the index of Python packages
# the first time.
# The demonstration page is part of it if `make demo` has built it.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$PWD/bin venv=$PWD/bin/site.venv wanted=$PWD/internal/tools/site/requirements.txt
rm -rf "$bin"/{site,site.pages}
mkdir -p "$bin"

packages() {
  cmp -s "$wanted" "$venv/has.txt" && return
  rm -rf "$venv"
  "${PYTHON:-python3}" -m venv "$venv"
  "$venv/bin/pip" install -q --disable-pip-version-check --no-compile -r "$wanted"
  cp "$wanted" "$venv/has.txt"
}
packages &

export GOFLAGS="${GOFLAGS:-} -trimpath" # with what the tests have compiled
(cd internal/tools && GOWORK=off go run ./goref ../.. "$bin/site.pages/reference/go")
wait $!
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build -q --strict -f internal/tools/site/mkdocs.yml

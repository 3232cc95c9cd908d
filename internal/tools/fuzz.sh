#!/usr/bin/env bash
# Fuzzes every target of the module for FUZZTIME (default 5s), one after the other.
set -euo pipefail
cd "$(dirname "$0")/../.."
fuzztime=${FUZZTIME:-5s}
go test -run '^$' -list '^Fuzz' ./... |
  awk '/^Fuzz/ { name[++n] = $1; next } /^ok/ { for (i = 1; i <= n; i++) print $2, name[i]; n = 0 }' |
  while read -r pkg target; do
    echo "== $target ($pkg)"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" -fuzzminimizetime 20x "$pkg" </dev/null
  done

#!/usr/bin/env bash
# Fuzzes every target of the module, and of the C library's, for FUZZTIME (default 5s), one after the other.
set -euo pipefail
cd "$(dirname "$0")/../.."
fuzztime=${FUZZTIME:-5s}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# fuzz ENVIRONMENT...: the targets of the module in the working directory.
fuzz() {
  env "$@" go test -run '^$' -list '^Fuzz' ./... |
    awk '/^Fuzz/ { name[++n] = $1; next } /^ok/ { for (i = 1; i <= n; i++) print $2, name[i]; n = 0 }' |
    while read -r pkg target; do
      echo "== $target ($pkg)"
      status=0
      env "$@" go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" -fuzzminimizetime 20x "$pkg" </dev/null 2>&1 |
        tee "$log" || status=$?
      # Go's fuzzer may call its own end a failure ("context deadline exceeded") without an input that fails.
      if [ "$status" != 0 ] && { grep -q 'Failing input' "$log" || ! grep -q '^    context deadline exceeded$' "$log"; }; then
        exit "$status"
      fi
    done
}

fuzz FUZZTIME="$fuzztime"
cd capi
fuzz GOWORK=off

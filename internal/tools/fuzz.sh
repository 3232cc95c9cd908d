#!/usr/bin/env bash
# Fuzzes every target of the module, and of the C library's, for FUZZTIME (default 5s), two targets at a time with a worker each. Each package is
# compiled once for all its targets.
set -euo pipefail
cd "$(dirname "$0")/../.."
export FUZZTIME=${FUZZTIME:-5s} BUILT CORPUS
BUILT=$(mktemp -d)
trap 'rm -rf "$BUILT"' EXIT
CORPUS=$(go env GOCACHE)/fuzz/$(GOWORK=off go list -m)

# fuzz FOLDER TARGET: fuzzes a target and shows its output when it has ended.
fuzz() {
  local status=0 log=$BUILT/$2.log
  (cd "$1" && "$BUILT/${1//\//-}.test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "$FUZZTIME" \
    -test.fuzzminimizetime 20x -test.parallel 1 -test.fuzzcachedir "$CORPUS/$1") >"$log" 2>&1 </dev/null || status=$?
  printf '== %s (./%s)\n%s\n' "$2" "$1" "$(cat "$log")"
  # Go's fuzzer may call its own end a failure ("context deadline exceeded") without an input that fails.
  if [ "$status" != 0 ] && { grep -q 'Failing input' "$log" || ! grep -q '^    context deadline exceeded$' "$log"; }; then
    return 255 # no other target begins
  fi
}
export -f fuzz

for folder in $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs dirname | sort -u); do
  folder=${folder#./}
  (cd "$folder" && GOWORK=off go test -c -vet=off -fuzz . -o "$BUILT/${folder//\//-}.test" .)
  sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\)(.*|$folder \1|p" "$folder"/*_test.go >>"$BUILT/targets"
done
xargs -P 2 -L 1 bash -c 'fuzz "$@"' fuzz <"$BUILT/targets"

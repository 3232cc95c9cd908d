#!/usr/bin/env bash
# Runs the tests at every SIMD level that this machine has, except the best one (an ordinary `go test` uses that), with
# one processor, and says which levels were skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."
have=$(go run ./cmd/sparsekm cpu --levels)
best=${have##* }
echo "levels of this machine: $have"
for level in generic avx2 avx512 neon; do
  case " $have " in
    *" $level "*) ;;
    *) echo "SKIPPED level $level: this machine does not have it"; continue ;;
  esac
  if [ "$level" != "$best" ]; then
    echo "== SPARSEKM_CPU=$level"
    # Packages whose results depend on the level; the cache does not know that the level is read at start: -count=1.
    SPARSEKM_CPU=$level go test -vet=off -count=1 -short -exec "env GOMAXPROCS=1" . ./blocked ./cholupdate ./export \
      ./gram ./internal/centres ./internal/cpu ./internal/dense ./internal/parallel ./learn/... ./model ./modelselect \
      ./qp ./reduce ./simplex/... ./smo/...
    # Of the command's tests those that compute.
    SPARSEKM_CPU=$level go test -vet=off -count=1 -short -exec "env GOMAXPROCS=1" -run '^Test(Train|Predict|Reduce|Convert)' \
      ./cmd/sparsekm/cli ./cmd/sparsekm-serve/...
  fi
done

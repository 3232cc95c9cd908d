#!/usr/bin/env bash
# Builds the command for other systems, without a C compiler, and checks the types of all packages, tests apart, for
# further ones that nothing here runs on. $1 is the program that checks types.
set -euo pipefail
cd "$(dirname "$0")/../.."
typecheck=$1
export CGO_ENABLED=0
for target in darwin/arm64 windows/amd64; do
  echo "== $target: the command"
  GOOS=${target%/*} GOARCH=${target#*/} go build -ldflags='-s -w' -o /dev/null ./cmd/sparsekm
done
for target in windows/arm64 darwin/amd64 linux/386 linux/riscv64; do
  echo "== $target: types"
  GOOS=${target%/*} GOARCH=${target#*/} "$typecheck" ./...
done
echo "== js/wasm: types of the library and the demonstration page" # the command's progress bar wants a terminal
export GOOS=js GOARCH=wasm
"$typecheck" $(go list -f '{{if .GoFiles}}{{.ImportPath}}{{end}}' ./... | grep -v -e /cmd/ -e /bench/)

#!/usr/bin/env bash
# Builds the command for other systems, without a C compiler, and checks the types of all packages, tests apart, for
# further ones that nothing here runs on. $1 is the program that checks types.
set -euo pipefail
cd "$(dirname "$0")/../.."
typecheck=$1
release="linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"
export CGO_ENABLED=0
for target in $release linux/386 linux/riscv64; do
  export GOOS=${target%/*} GOARCH=${target#*/}
  case $target in
    linux/amd64 | linux/arm64) ;; # the tests run there
    darwin/arm64 | windows/amd64)
      echo "== $target: the command"
      go build -ldflags='-s -w' -o /dev/null ./cmd/sparsekm
      ;;
    *)
      echo "== $target: types"
      "$typecheck" ./...
      ;;
  esac
done
echo "== js/wasm: types of the library and the demonstration page" # the command's progress bar wants a terminal
export GOOS=js GOARCH=wasm
"$typecheck" $(go list -f '{{if .GoFiles}}{{.ImportPath}}{{end}}' ./... | grep -v -e /cmd/ -e /bench/)

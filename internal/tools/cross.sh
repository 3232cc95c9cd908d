#!/usr/bin/env bash
# Builds for every system that a release is made for, and for others that the tests do not run on, without a C compiler.
# What is built whole needs no build of the command alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
release="linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"
whole="windows/amd64 darwin/arm64 linux/386 linux/riscv64"
for target in $release; do
  case " $whole linux/amd64 " in *" $target "*) continue ;; esac # the tests run on linux/amd64
  echo "== $target: the command"
  CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go build -o /dev/null ./cmd/sparsekm
done
for target in $whole; do
  echo "== $target"
  CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go build ./...
done
echo "== js/wasm: the library and the demonstration page" # the command's progress bar wants a terminal
export GOOS=js GOARCH=wasm
go build $(go list -f '{{if .GoFiles}}{{.ImportPath}}{{end}}' ./... | grep -v -e /cmd/ -e /bench/)

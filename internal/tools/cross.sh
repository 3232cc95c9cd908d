#!/usr/bin/env bash
# Builds every package for systems that the tests do not run on, without a C compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."
for target in windows/amd64 darwin/arm64 linux/386 linux/riscv64 js/wasm; do
  echo "== $target"
  CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go build ./...
done

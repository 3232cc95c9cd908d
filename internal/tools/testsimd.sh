#!/usr/bin/env bash
# Tests the kernels of Go's package simd: bit for bit beside the assembly, alone with vectors of 128 bits, as
# WebAssembly has them, and with the widest, and in Node where it is installed. Skipped where the toolchain cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../.."
simd=$PWD/internal/tools/simd.sh
"$simd" true || exit 0
some=(-test.short -test.skip '^Test(SameBits|Bits4|Uint8)') # not what has no such kernels, nor what runs below
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for package in gram internal/dense; do
  program=$out/${package##*/}
  "$simd" go test -c -vet=off -o "$program" "./$package"
  cd "$package"
  for width in simd=128 ""; do
    echo "== $package: ${width:-the widest vectors}"
    GODEBUG=$width SPARSEKM_CPU=simd "$program" "${some[@]}"
  done
  cd - >/dev/null
done
echo "== gram: every level"
cd gram
"$out/gram" -test.run '^Test(SameBits|Expansion)$'
if command -v node >/dev/null; then
  echo "== gram: WebAssembly, in Node"
  GOOS=js GOARCH=wasm "$simd" go test -c -vet=off -o "$out/gram.wasm" .
  run=$("$simd" go env GOROOT)/lib/wasm/wasm_exec_node.js
  env -i PATH="$PATH" node --stack-size=8192 "$run" "$out/gram.wasm" "${some[@]}"
else
  echo "SKIPPED WebAssembly: no node"
fi

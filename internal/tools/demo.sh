#!/usr/bin/env bash
# Builds the demonstration page into the folder $1 (default bin/demo), ready for any server of static files.
# Only packages that compute are inlined: the page is a tenth smaller so.
# The page alone has the kernels of Go's package simd, unless their toolchain cannot be had or $2 is plain.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-bin/demo}
module=$(GOWORK=off go list -m) # a workspace lists several
mkdir -p "$out"
flags=(-trimpath -ldflags='-s -w' -gcflags=all=-l)
hot=("$module"/{gram,internal/cpu,internal/dense,smo})
simd=
if [ "${2:-}" != plain ] && internal/tools/simd.sh true; then
  simd=internal/tools/simd.sh
  hot+=(math simd simd/archsimd simd/internal/bridge)
fi
for package in "${hot[@]}"; do
  flags+=("-gcflags=$package=")
done
for program in engine exporter; do
  GOOS=js GOARCH=wasm CGO_ENABLED=0 $simd go build "${flags[@]}" -o "$out/$program.wasm" "./docs/demo/$program"
done
cp -f docs/demo/{index.html,demo.css,demo.js,worker.js} testdata/ripley.train.libsvm "$($simd go env GOROOT)/lib/wasm/wasm_exec.js" "$out"

#!/usr/bin/env bash
# Builds the demonstration page into the folder $1 (default bin/demo), ready for any server of static files.
# Only packages that compute are inlined: the page is a tenth smaller so.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-bin/demo}
module=$(go list -m)
mkdir -p "$out"
flags=(-trimpath -ldflags='-s -w' -gcflags=all=-l)
for hot in gram internal/fma internal/dense smo; do
  flags+=("-gcflags=$module/$hot=")
done
for program in engine exporter; do
  GOOS=js GOARCH=wasm CGO_ENABLED=0 go build "${flags[@]}" -o "$out/$program.wasm" "./docs/demo/$program"
done
cp docs/demo/{index.html,demo.css,demo.js,worker.js} testdata/ripley.train.libsvm "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$out"

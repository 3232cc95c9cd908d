#!/bin/sh
# Makes the source package sparsekm_VERSION.tar.gz in the folder $1 (default: the current one). It contains the sources of
# the library with all that they import, and installs without a clone and without network.
set -e
cd "$(dirname "$0")"
to=$(mkdir -p "${1:-.}" && cd "${1:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

git ls-files -z . | xargs -0 tar cf - | (mkdir "$work/sparsekm" && cd "$work/sparsekm" && tar xf -)
(cd ../capi && GOWORK=off go mod vendor -o "$work/go/vendor")
cp ../capi/[a-z]*.go ../capi/*.h ../capi/go.mod ../capi/go.sum ../NOTICE "$work/go"
rm -f "$work"/go/*_test.go
(cd "$work/go" && tar cf - . | gzip -9n) >"$work/sparsekm/src/go.tar.gz"
cd "$to"
R CMD build --no-manual "$work/sparsekm"

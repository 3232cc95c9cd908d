#!/bin/sh
# Makes the linear programs of this folder anew: run `sh simplex/testdata/dump.sh` in
# the module's top folder, then `go test ./simplex -run TestCLP -update` with CLP
# installed to record their optima.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/sparsekm" ./cmd/sparsekm

# dump SET EVERY METHOD NUMBER: the program of that number of a training on every EVERY-th point.
dump() {
	awk "NR % $2 == 1" "testdata/$1.libsvm" >"$work/points"
	rm -rf "$work/lp"
	"$work/sparsekm" train "$work/points" --method "$3" --scale zscore --dump-lp "$work/lp" >/dev/null 2>&1
	gzip -9nc "$work/lp/lp-000$4.mps" >"simplex/testdata/${1%%.*}-$3-$4.mps.gz"
}

dump ripley.train 6 ssvc-b 1
dump ripley.train 6 ssvc-b 3
dump ripley.train 6 l1svm 1
dump ripley.train 6 l0svm 2
dump ionosphere 8 skm 1
dump ionosphere 8 skm 3
dump ionosphere 8 lpsvc 1
dump diabetis 18 ssvc-w 2
dump diabetis 18 skm 9

module github.com/sparsekm/sparsekm/bench

go 1.26.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/sparsekm/sparsekm v0.1.0
	gonum.org/v1/gonum v0.17.0
)

require (
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.47.0 // indirect
)

replace github.com/sparsekm/sparsekm => ../

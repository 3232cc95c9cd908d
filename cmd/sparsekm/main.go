// Command sparsekm trains kernel classifiers that need very few support vectors,
// predicts with them and shrinks the ones people already have.
//
//	sparsekm train --method ssvc-a --sigma 0.5 --c 1 --out ripley.skm testdata/ripley.train.libsvm
//	sparsekm predict ripley.skm testdata/ripley.test.libsvm
//
// `sparsekm --help` lists the subcommands. Exit status: 0 done, 1 the work failed,
// 2 wrong usage, 3 stopped by a limit with a usable result.
//
// Package [github.com/sparsekm/sparsekm/cmd/sparsekm/cli] is the command itself.
package main

import "github.com/sparsekm/sparsekm/cmd/sparsekm/cli"

func main() { cli.Main() }

// Command papers repeats the experiments of the papers that this module
// implements and prints their figures beside the papers'.
//
//	go run ./bench/papers [-data FOLDER] [-out FOLDER] [experiment ...]
//
// The data sets that the module may not carry are looked for in ../shared/data.
package main

import (
	"flag"
	"os"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
)

// experiments by name; each lives in a file of its own and adds itself here.
var experiments = harness.Suite{}

func main() {
	e := harness.Env{Reps: 1}
	flag.StringVar(&e.Out, "out", "", "folder for plots and their data; none are written without it")
	os.Exit(experiments.Main("papers", &e))
}

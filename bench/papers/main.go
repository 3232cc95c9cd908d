// Command papers makes the figures that the documentation has of methods beyond the papers' own tables, which
// bench/reproduce makes.
//
//	go run ./bench/papers [-data FOLDER] [-out FOLDER] [experiment ...]
//
// The data sets that the module may not carry are looked for in ../shared/data.
package main

import (
	"flag"
	"os"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	_ "github.com/sparsekm/sparsekm/learn/all" // every method by its name
)

// experiments by name; each lives in a file of its own and adds itself here.
var experiments = harness.Suite{}

func main() {
	e := harness.Env{Reps: 1}
	flag.StringVar(&e.Out, "out", "", "folder for plots and their data; none are written without it")
	declarePromise()
	declareDigits()
	declareRegress()
	declareFit()
	declareCoverage()
	declareRivals()
	declareBound()
	os.Exit(experiments.Main("papers", &e))
}

func meanSD(x []float64) (mean, sd float64) { return stat.MeanStdDev(x, nil) }

// load reads a data set and its splits.
func load(e *harness.Env, file, splits string) (*dataset.Set, []dataset.Split, error) {
	set, err := e.Set(file)
	if err != nil {
		return nil, nil, err
	}
	sp, err := e.Splits(splits, set.N)
	return set, sp, err
}

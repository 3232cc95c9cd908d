// Command papers repeats the experiments of the papers that this module
// implements and prints their figures beside the papers'.
//
//	go run ./bench/papers [-data FOLDER] [-out FOLDER] [experiment ...]
//
// The data sets that the module may not carry are looked for in ../shared/data.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/klauspost/cpuid/v2"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

// bench is what an experiment works with.
type bench struct {
	context.Context
	data string    // folder of the data sets
	plot string    // folder for plots and their data, empty for none
	out  io.Writer // tables
}

// experiments by name; each lives in a file of its own and adds itself here.
var experiments = map[string]func(b *bench) error{}

func main() {
	b := &bench{out: os.Stdout}
	flag.StringVar(&b.data, "data", "../shared/data", "folder of the data sets")
	flag.StringVar(&b.plot, "out", "", "folder for plots and their data; none are written without it")
	flag.Parse()
	names := flag.Args()
	if len(names) == 0 {
		for n := range experiments {
			names = append(names, n)
		}
		slices.Sort(names)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b.Context = ctx
	fmt.Fprintf(b.out, "%s, level %s, %s, %d CPUs\n", cpuid.CPU.BrandName, cpu.Active(), runtime.Version(), runtime.NumCPU())
	for _, n := range names {
		run, ok := experiments[n]
		if !ok {
			fmt.Fprintf(os.Stderr, "papers: no experiment %q\n", n)
			os.Exit(2)
		}
		fmt.Fprintf(b.out, "\n## %s\n\n", n)
		if err := run(b); err != nil {
			fmt.Fprintf(os.Stderr, "papers: %s: %v\n", n, err)
			os.Exit(1)
		}
	}
}

// load reads a data set and its splits.
func (b *bench) load(file, splits string) (*dataset.Set, []dataset.Split, error) {
	set, err := dataset.ReadFile(filepath.Join(b.data, "open", file), dataset.Options{})
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(filepath.Join(b.data, "open", splits))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	sp, err := dataset.ReadSplits(f, splits, set.N)
	return set, sp, err
}

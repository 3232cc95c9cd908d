// Command peers times this module beside the programs that people use today, on
// the same data in the same run, and prints Markdown tables. What is not
// installed is named and left out.
//
//	go run ./bench/peers [-reps 5] [comparison ...]
//
// The Python of a virtual environment is found through SPARSEKM_PEERS (the path
// of its python executable), C peers through gcc and Debian's development packages.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"

	"github.com/klauspost/cpuid/v2"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// comparison is one table. Each lives in a file of its own and adds itself here.
type comparison struct {
	about string
	run   func(*env) error
}

var comparisons = map[string]comparison{}

func main() {
	reps := flag.Int("reps", 5, "repetitions of everything timed; the best counts")
	data := flag.String("data", "../shared/data", "folder of the data sets that the module does not carry")
	flag.Usage = usage
	flag.Parse()
	names := flag.Args()
	if len(names) == 0 {
		names = sortedNames()
	}
	e, err := newEnv(*reps, *data)
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
	defer e.close()
	fmt.Printf("%s, level %s, %s, %d CPUs\n", cpuid.CPU.BrandName, cpu.Active(), runtime.Version(), runtime.NumCPU())
	failed := false
	for _, n := range names {
		c, ok := comparisons[n]
		if !ok {
			fmt.Fprintf(os.Stderr, "peers: no comparison %q\n", n)
			os.Exit(2)
		}
		fmt.Printf("\n## %s: %s\n\n", n, c.about)
		if err := c.run(e); err != nil {
			fmt.Fprintf(os.Stderr, "peers: %s: %v\n", n, err)
			failed = true
		}
	}
	if failed {
		e.close()
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: peers [flags] [comparison ...]")
	flag.PrintDefaults()
	for _, n := range sortedNames() {
		fmt.Fprintf(os.Stderr, "  %-12s %s\n", n, comparisons[n].about)
	}
}

func sortedNames() []string {
	var ns []string
	for n := range comparisons {
		ns = append(ns, n)
	}
	sort.Strings(ns)
	return ns
}

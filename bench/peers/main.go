// Command peers times this module compared with the programs that people use today, on
// the same data in the same run, and prints Markdown tables. What is not
// installed is named and left out.
//
//	go run ./bench/peers [-reps 5] [comparison ...]
//
// The Python of a virtual environment is found through SPARSEKM_PEERS (the path
// of its python executable), C peers through gcc and Debian's development packages.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	_ "github.com/sparsekm/sparsekm/learn/all" // every method by its name
)

var comparisons = harness.Suite{}

// compare adds a comparison.
func compare(name, about string, run func(ctx context.Context, e *env) error) {
	comparisons[name] = harness.Task{About: about,
		Run: func(ctx context.Context, e *harness.Env) error { return run(ctx, &env{e}) }}
}

func main() {
	var e harness.Env
	flag.IntVar(&e.Reps, "reps", 5, "repetitions of everything timed; the best counts")
	os.Exit(comparisons.Main("peers", &e))
}

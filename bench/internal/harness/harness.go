// Package harness is what the comparisons with other programs (bench/peers) and the
// experiments of the papers (bench/papers) have in common: a command line that runs
// tasks by name, data sets, the best of several timings, and Markdown tables.
package harness

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

// Task is one comparison or experiment. Each lives in a file of its own and adds itself to a [Suite].
type Task struct {
	About string // one line
	Run   func(ctx context.Context, e *Env) error
}

// Suite is the tasks of a command by name.
type Suite map[string]Task

// Env is what tasks work with.
type Env struct {
	Data string // folder of the data sets that the module does not carry
	Tmp  string // a scratch folder, gone at the end
	Reps int    // repetitions of everything timed
}

// Main runs the tasks that the command line names, all of them if it names none, and
// returns the exit status. The caller may have declared flags of its own for e's fields.
func (s Suite) Main(name string, e *Env) (status int) {
	flag.StringVar(&e.Data, "data", "../shared/data", "folder of the data sets that the module does not carry")
	tsv := flag.String("tsv", "", "file that takes the rows of all tables, parted by tabs; docs/results keeps such files")
	flag.Usage = func() { s.usage(name) }
	flag.Parse()
	names := flag.Args()
	if len(names) == 0 {
		names = s.names()
	}
	for _, n := range names {
		if _, ok := s[n]; !ok {
			fmt.Fprintf(os.Stderr, "%s: no task %q\n", name, n)
			return 2
		}
	}
	var err error
	if e.Tmp, err = os.MkdirTemp("", name); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return 1
	}
	defer os.RemoveAll(e.Tmp)
	if *tsv != "" {
		file, failed := os.Create(*tsv)
		if failed != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, failed)
			return 1
		}
		defer file.Close()
		rows = file
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Printf("%s, level %s, %s, %d CPUs\n", cpuid.CPU.BrandName, cpu.Active(), runtime.Version(), runtime.NumCPU())
	for _, n := range names {
		fmt.Printf("\n## %s: %s\n\n", n, s[n].About)
		if err := s[n].Run(ctx, e); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %s: %v\n", name, n, err)
			if errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintln(os.Stderr, "The repository does not carry every data set; -data names the folder that has it.")
			}
			status = 1
		}
		if ctx.Err() != nil {
			return 1
		}
	}
	return status
}

func (s Suite) names() []string { return slices.Sorted(maps.Keys(s)) }

func (s Suite) usage(name string) {
	fmt.Fprintf(os.Stderr, "usage: %s [flags] [task ...]\n", name)
	flag.PrintDefaults()
	for _, n := range s.names() {
		fmt.Fprintf(os.Stderr, "  %-16s %s\n", n, s[n].About)
	}
}

// Set reads a data set of the folder open/ of the data.
func (e *Env) Set(file string) (*dataset.Set, error) {
	return dataset.ReadFile(filepath.Join(e.Data, "open", file), dataset.Options{})
}

// Splits reads the splits of n samples.
func (e *Env) Splits(file string, n int) ([]dataset.Split, error) {
	f, err := os.Open(filepath.Join(e.Data, "open", file))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return dataset.ReadSplits(f, file, n)
}

// Best returns the least wall time in seconds of e.Reps runs of f.
func (e *Env) Best(f func()) float64 { return e.BestAfter(func() {}, f) }

// BestAfter is Best with a preparation before each run that is not timed.
func (e *Env) BestAfter(prepare, f func()) float64 {
	smallest := math.Inf(1)
	for range e.Reps {
		prepare()
		smallest = min(smallest, Seconds(f))
	}
	return smallest
}

// Seconds is the wall time of f.
func Seconds(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

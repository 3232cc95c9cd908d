package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

func init() {
	compare("csv", "reading CSV files of plain numbers against pandas.read_csv, processor time, one thread", compareCSV)
}

func compareCSV(_ context.Context, e *env) error {
	harness.Header("20 numbers a row", "file", "ours, MB/s, bar 400", "pandas, MB/s", "ratio, bar 1")
	for _, kind := range []struct {
		name, verb string // a format of fmt
		rows       int
	}{{"as many digits as float64 has", "%v", 100000}, {"four places", "%.4f", 200000}, {"integers", "%.0f", 400000}} {
		path, err := e.file("numbers.csv", func(w io.Writer) error { return writeNumbers(w, kind.verb, kind.rows, 20) })
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		ours, err := e.Processor(func() error {
			debug.FreeOSMemory() // a process that begins has no memory to use again
			_, failed := dataset.ReadFile(path, dataset.Options{})
			return failed
		})
		if err != nil {
			return err
		}
		var peer struct{ Read float64 }
		if err := e.ask("csv", nil, &peer, path, strconv.Itoa(e.Reps)); err != nil {
			absent(err)
		}
		size := float64(info.Size()) / 1e6
		harness.Row(kind.name, shown("%.0f MB", size), shown("%.0f", size/ours), shown("%.0f", size/peer.Read),
			times(peer.Read/ours))
	}
	return nil
}

// writeNumbers writes normal numbers times 100 and a label of 0 and 1.
func writeNumbers(w io.Writer, verb string, n, d int) error {
	for k := range d {
		fmt.Fprintf(w, "x%d,", k)
	}
	fmt.Fprintln(w, "y")
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		for range d {
			fmt.Fprintf(w, verb+",", 100*rnd.NormFloat64())
		}
		if _, err := fmt.Fprintln(w, i%2); err != nil {
			return err
		}
	}
	return nil
}

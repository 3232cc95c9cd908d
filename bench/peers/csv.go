package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/processor"
)

func init() {
	compare("csv", "reading CSV files of plain numbers against pandas.read_csv, processor time, one thread", compareCSV)
}

// csvKinds are the numbers of a file: a format of fmt, rows.
var csvKinds = []struct {
	name, verb string
	rows       int
}{{"as many digits as float64 has", "%v", 100000}, {"four places", "%.4f", 200000}, {"integers", "%.0f", 400000}}

func compareCSV(_ context.Context, e *env) error {
	const columns, rounds = 20, 3
	var rows [][]string
	for _, kind := range csvKinds {
		path := filepath.Join(e.Tmp, "numbers.csv")
		size, err := writeNumbers(path, kind.verb, kind.rows, columns)
		if err != nil {
			return err
		}
		ours, theirs, best := 0.0, 0.0, ""
		for round := range rounds { // in turns
			t, err := e.readOurs(path)
			if err != nil {
				return err
			}
			if round == 0 || t < ours {
				ours = t
			}
			for _, py := range pythons() {
				out, err := e.python(py, "readcsv.py", nil, path, strconv.Itoa(e.Reps))
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					continue
				}
				var peer struct{ Read float64 }
				if err = json.Unmarshal([]byte(out), &peer); err != nil {
					return err
				}
				if best == "" || peer.Read < theirs {
					theirs, best = peer.Read, py
				}
			}
		}
		row := []string{kind.name, fmt.Sprintf("%.0f MB", size/1e6), fmt.Sprintf("%.0f MB/s", size/1e6/ours), "none", "", "≥ 1, or 400 MB/s"}
		if best != "" {
			row[3], row[4] = fmt.Sprintf("%.0f MB/s", size/1e6/theirs), fmt.Sprintf("%.1f", theirs/ours)
		}
		rows = append(rows, row)
	}
	harness.Table([]string{"20 numbers a row", "file", "sparsekm", "pandas", "ratio", "bar"}, rows)
	return nil
}

// readOurs returns the least processor time of a reading, the collector's part of it included.
func (e *env) readOurs(path string) (smallest float64, err error) {
	for range max(1, e.Reps) {
		debug.FreeOSMemory() // a process that begins has no memory to use again
		start := processor.Seconds()
		if _, err = dataset.ReadFile(path, dataset.Options{}); err != nil {
			return 0, err
		}
		if t := processor.Seconds() - start; smallest == 0 || t < smallest {
			smallest = t
		}
	}
	return smallest, nil
}

// writeNumbers writes normal numbers times 100 and a label of 0 and 1, and returns the file's size.
func writeNumbers(path, verb string, n, d int) (size float64, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for k := range d {
		fmt.Fprintf(w, "x%d,", k)
	}
	fmt.Fprintln(w, "y")
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		for range d {
			fmt.Fprintf(w, verb+",", 100*rnd.NormFloat64())
		}
		fmt.Fprintln(w, i%2)
	}
	if err = w.Flush(); err != nil {
		return 0, err
	}
	at, err := f.Seek(0, io.SeekCurrent)
	return float64(at), err
}

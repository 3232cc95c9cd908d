package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

func init() {
	experiments["direct-levels"] = harness.Task{
		About: "columns of categories: features of 0 and 1, or learned values; 60 codes, and tables in the folder SPARSEKM_TABLES",
		Run:   levelsTask}
}

// levelsDraws is the number of draws and of splits.
const levelsDraws = 3

// levelsTask compares the two ways to take categories by test error, size and time.
func levelsTask(ctx context.Context, _ *harness.Env) error {
	harness.Header("samples", "error: 0 and 1", "learned", "bytes in C: 0 and 1", "learned",
		"ns a decision: 0 and 1", "learned", "processor s: 0 and 1", "learned")
	l := levelsRow{name: "60 codes"}
	for seed := range uint64(levelsDraws) {
		if err := l.add(ctx, lettersOf(1000, 2*seed+1), lettersOf(8000, 2*seed+2)); err != nil {
			return err
		}
	}
	l.show()
	files, err := filepath.Glob(filepath.Join(os.Getenv("SPARSEKM_TABLES"), "*.flags"))
	if err != nil {
		return err
	}
	for _, file := range files {
		set, err := tableOf(file)
		if err != nil {
			return err
		}
		if set == nil { // without categories
			continue
		}
		l = levelsRow{name: strings.TrimSuffix(filepath.Base(file), ".flags")}
		for seed := range uint64(levelsDraws) {
			train, test, err := divided(set, seed)
			if err != nil {
				return err
			}
			if err = l.add(ctx, train, test); err != nil {
				return err
			}
		}
		l.show()
	}
	return nil
}

// lettersOf is codesOf with a column of letters for each code.
func lettersOf(n int, seed uint64) *dataset.Set {
	s := codesOf(n, seed)
	own := &dataset.Set{N: n, D: letters * codes, Y: s.Y, Labels: s.Labels, X: make([]float64, letters*codes*n)}
	for k := range codes {
		own.Columns = append(own.Columns, dataset.Column{Name: fmt.Sprint("p", k), Role: dataset.RoleCategory,
			Categories: []string{"A", "C", "G", "T"}})
	}
	for i, code := range s.X {
		own.X[i*letters+int(code)-1] = 1
	}
	return own
}

// tableOf reads a table by its file of flags; nil if it has no categories.
func tableOf(flags string) (*dataset.Set, error) {
	text, err := os.ReadFile(flags)
	if err != nil || !bytes.Contains(text, []byte("--categorical=")) {
		return nil, err
	}
	o := dataset.Options{Format: dataset.CSV, Header: dataset.HeaderYes}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch name {
		case "--categorical":
			o.Categorical = strings.Split(value, ",")
		case "--missing":
			if o.Missing, err = dataset.ParseMissing(value); err != nil {
				return nil, err
			}
		case "--task":
			o.Targets = dataset.TargetValues
		}
	}
	return dataset.ReadFile(strings.TrimSuffix(flags, ".flags")+".csv", o)
}

// divided is a training part of two thirds, at most 3000 samples, and the rest.
func divided(set *dataset.Set, seed uint64) (train, test *dataset.Set, err error) {
	rows := dataset.NewRand(100 + seed).Perm(set.N)
	n := min(3000, 2*set.N/3)
	return set.Subset(rows[:n]), set.Subset(rows[n:min(set.N, n+8000)]), nil
}

// levelsRow are sums over draws, for features of 0 and 1 and for learned values.
type levelsRow struct {
	name                    string
	real                    bool
	draws                   float64
	loss, size, nanos, took [2]float64
}

func (l *levelsRow) add(ctx context.Context, train, test *dataset.Set) error {
	l.draws++
	l.real = train.Targets != nil
	for way := range 2 {
		start := processor.Seconds()
		clf, _, err := sparsekm.Train(ctx, train, sparsekm.Options{Trainer: direct.Trainer{},
			Scale: dataset.ScaleAuto, ScaleTarget: l.real, CategoryValues: way, Threads: 1})
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		l.took[way] += processor.Seconds() - start
		l.loss[way] += lossOf(clf, test)
		l.nanos[way] += 1000 * reduce.Microseconds(clf)
		var text bytes.Buffer
		if err = export.Write(&text, clf, "c", export.Options{}); err != nil {
			return err
		}
		bytes, err := strconv.Atoi(tablesOf(text.String()))
		if err != nil {
			return err
		}
		l.size[way] += float64(bytes)
	}
	return nil
}

// lossOf is the error in percent, or the RMSE.
func lossOf(clf *model.Classifier, test *dataset.Set) float64 {
	f := make([]float64, test.N*clf.NumSubmodels())
	clf.DecideSet(f, test, 0, test.N, 1)
	sum := 0.0
	if clf.Task().Real() {
		for i, y := range test.Targets {
			sum += (y - f[i]) * (y - f[i])
		}
		return math.Sqrt(sum / float64(test.N))
	}
	class := make([]int, test.N)
	clf.Classes(class, f, test.N)
	for i, c := range test.ClassOf(clf.Labels()) {
		if c != class[i] {
			sum++
		}
	}
	return 100 * sum / float64(test.N)
}

func (l *levelsRow) show() {
	cells := []string{l.name}
	for _, v := range []struct {
		sums [2]float64
		form string
	}{{l.loss, "%.4g"}, {l.size, "%.0f"}, {l.nanos, "%.0f"}, {l.took, "%.2f"}} {
		for _, sum := range v.sums {
			cells = append(cells, fmt.Sprintf(v.form, sum/l.draws))
		}
	}
	harness.Row(cells...)
}

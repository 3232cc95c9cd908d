package papers

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/modelselect"
)

// printed is a cell of Table 2: seconds, vectors and error (%), with their standard deviations.
type printed struct{ seconds, vectors, vectorsSD, error, errorSD float64 }

// huangSets are Table 1's, with the files that they are read from.
var huangSets = []struct{ name, file string }{
	{"Banana", "banana-1000.libsvm"}, {"Thyroid", "thyroid.libsvm"}, {"Diabetes", "diabetis.libsvm"},
	{"B. Cancer", "breast-cancer.libsvm"}, {"German", "german.libsvm"}, {"Ringnorm", "ringnorm-1000.libsvm"},
	{"Waveform", "waveform-1000.libsvm"},
}

// huangMethods are Table 2's rows by set. A method that this module does not have yet has a name all the same: its
// column is filled as soon as it is registered.
var huangMethods = []struct {
	label, method string
	cells         [7]printed
}{
	{"svc", "svc", [7]printed{{0.43, 227.5, 5.6, 10.0, 3.9}, {0.01, 31.0, 1.8, 4.3, 4.2}, {0.13, 418.4, 8.0, 22.1, 8.6},
		{0.02, 140.3, 4.3, 24.1, 8.6}, {0.70, 496.6, 8.1, 23.7, 3.2}, {0.28, 122.6, 6.0, 2.0, 1.7}, {0.20, 292.2, 5.5, 9.7, 2.3}}},
	{"ssvc-a", "ssvc-a", [7]printed{{9.92, 10.9, 0.7, 10.0, 3.6}, {0.10, 2.6, 0.7, 4.3, 4.7}, {2.60, 5.8, 0.6, 22.1, 4.9},
		{0.98, 4.5, 1.6, 24.8, 6.8}, {20.48, 13.7, 1.8, 23.8, 5.2}, {3.53, 6.2, 1.1, 2.0, 1.3}, {5.82, 6.5, 0.7, 9.4, 2.2}}},
	{"ssvc-b (SSVC_W)", "ssvc-b", [7]printed{{75.86, 10.6, 1.0, 9.7, 4.0}, {6.34, 4.1, 0.3, 3.8, 3.0},
		{27.04, 5.9, 0.7, 22.6, 5.1}, {7.13, 11.1, 0.7, 24.4, 8.6}, {505.58, 21.2, 4.3, 23.5, 4.7}, {124.23, 11.1, 1.3, 1.8, 1.1},
		{62.52, 5.8, 0.8, 9.0, 2.1}}},
	{"RVM", "rvm", [7]printed{{38.72, 11.6, 1.0, 9.9, 3.5}, {0.92, 5.1, 0.6, 4.3, 3.5}, {19.91, 10.5, 2.1, 24.2, 5.0},
		{1.59, 5.1, 2.4, 25.2, 7.2}, {54.11, 25.4, 2.1, 23.2, 3.3}, {38.98, 7.6, 1.1, 1.8, 1.9}, {45.62, 11.9, 1.7, 10.5, 2.7}}},
	{"SPC", "spc", [7]printed{{6.80, 12.3, 1.5, 9.9, 4.5}, {0.14, 4.4, 1.5, 4.8, 3.2}, {3.04, 10.2, 1.1, 22.8, 5.7},
		{0.27, 5.8, 1.2, 25.2, 6.9}, {8.67, 24.6, 5.3, 24.8, 5.3}, {7.72, 4.9, 1.3, 2.1, 1.4}, {6.81, 14.9, 1.9, 9.9, 3.0}}},
	{"lpsvc", "lpsvc", [7]printed{{125.79, 114.5, 63.8, 9.4, 3.8}, {2.72, 7.1, 1.1, 5.7, 4.4}, {41.09, 21.4, 5.1, 22.5, 4.8},
		{4.44, 79.2, 43.2, 25.2, 8.3}, {99.02, 33.8, 12.8, 23.5, 4.9}, {161.48, 30.4, 17.6, 1.7, 1.3}, {79.96, 19.9, 3.6, 9.5, 2.6}}},
	{"SC-SVC", "sc-svc", [7]printed{{43.55, 141.2, 10.9, 9.6, 3.9}, {1.08, 25.5, 5.9, 4.8, 5.0}, {10.01, 16.9, 1.8, 22.9, 4.4},
		{2.31, 66.3, 3.4, 24.1, 8.4}, {28.32, 53.9, 6.0, 23.5, 5.0}, {29.82, 78.9, 7.9, 1.8, 2.0}, {26.45, 66.8, 6.4, 9.8, 2.7}}},
}

// huangEach makes a row of each set and method.
func huangEach(cells func(p *printed) []string) []Row {
	var rows []Row
	for s, set := range huangSets {
		for _, m := range huangMethods {
			rows = append(rows, Row{Of: []string{set.name, m.label}, Paper: cells(&m.cells[s]), Data: set.file, Method: m.method})
		}
	}
	return rows
}

func huangRows() []Row {
	return huangEach(func(p *printed) []string {
		return []string{fmt.Sprintf("%.1f ± %.1f", p.vectors, p.vectorsSD), fmt.Sprintf("%.1f ± %.1f", p.error, p.errorSD)}
	})
}

func huangTimes() []Row {
	return huangEach(func(p *printed) []string {
		return []string{fmt.Sprintf("%.1f", p.vectors), fmt.Sprintf("%.2f", p.seconds)}
	})
}

// huangSearch is the choice of C and σ, or of σ alone where the method has no C.
func huangSearch(method string) (*modelselect.Search, error) {
	m, err := sparsekm.Lookup(method)
	if err != nil {
		return nil, err
	}
	tr, err := m.New(nil)
	if err != nil {
		return nil, err
	}
	var axes []modelselect.Axis
	for _, p := range m.Params() {
		if p.Name == "c" {
			axes = append(axes, modelselect.Param("c", 0.3, 1, 3, 10))
		}
	}
	settings, err := modelselect.Grid(sparsekm.Options{Trainer: tr, Scale: dataset.ScaleZ},
		append(axes, modelselect.GammaTimes(0.03, 0.1, 0.3, 1))...)
	return &modelselect.Search{Settings: settings, Folds: 10, Seed: 1, Halving: true}, err
}

// huangTrials is a row of Table 2.
func (e *Env) huangTrials(ctx context.Context, r *Result, set *dataset.Set, row *Row) (*trials, error) {
	key := row.Data + " " + row.Method
	if known := e.made["huang "+key]; known != nil {
		return known, nil
	}
	search, err := huangSearch(row.Method)
	if err != nil {
		return nil, err
	}
	folds, err := e.tenFolds(set, row.Data)
	if err != nil {
		return nil, err
	}
	all := new(trials)
	for i, sp := range folds[:e.times(len(folds), 2)] {
		t, err := e.nested(ctx, set, sp, search)
		if err != nil {
			return nil, err
		}
		all.add(t)
		e.show(r, i+1, len(folds), key)
	}
	e.keep("huang "+key, all)
	return all, nil
}

// huangFill makes the rows of Table 2 that can be made.
func (e *Env) huangFill(ctx context.Context, r *Result, cells func(k, method int, t *trials) []string) error {
	return e.sets(r, func(file string, set *dataset.Set, rows []int) error {
		for _, i := range rows {
			if !r.Rows[i].known() {
				continue
			}
			t, err := e.huangTrials(ctx, r, set, &r.Rows[i])
			if err != nil {
				return err
			}
			r.Ours[i] = cells(i/len(huangMethods), i%len(huangMethods), t)
		}
		return nil
	})
}

func huangTable2(ctx context.Context, r *Result, e *Env) error {
	return e.huangFill(ctx, r, func(k, method int, t *trials) []string {
		return []string{pm(t.vectors, 1), pm(t.error, 1), huangMethods[method].cells[k].within(t)}
	})
}

// within says which of our figures are near the printed ones.
func (p *printed) within(t *trials) string {
	vectors := stat.Mean(t.vectors, nil)
	rate := stat.Mean(t.error, nil)
	near := math.Abs(vectors-p.vectors) <= max(3, 0.3*p.vectors)
	right := math.Abs(rate-p.error) <= p.errorSD
	switch {
	case near && right:
		return "both"
	case near:
		return "vectors"
	case right:
		return "error"
	}
	return "neither"
}

func huangFig5(ctx context.Context, r *Result, e *Env) error {
	r.Curves = &plots.Lines{X: "set", Y: "vectors", LogY: true}
	lines := make([]plots.Line, len(huangMethods))
	err := e.huangFill(ctx, r, func(k, method int, t *trials) []string {
		vectors := stat.Mean(t.vectors, nil)
		seconds := stat.Mean(t.seconds, nil)
		line := &lines[method]
		line.Name = huangMethods[method].label
		line.X = append(line.X, float64(k+1))
		line.Y = append(line.Y, max(vectors, 0.5))
		return []string{fmt.Sprintf("%.1f", vectors), fmt.Sprintf("%.2f", 1000*seconds)}
	})
	for _, line := range lines {
		if line.X != nil {
			r.Curves.Lines = append(r.Curves.Lines, line)
		}
	}
	return err
}

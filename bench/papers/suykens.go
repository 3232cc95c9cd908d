package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
)

func init() {
	experiments["suykens"] = harness.Task{About: "pruning along the paths of Suykens et al. (2000), Fig. 2 to 4",
		Run: suykens}
}

// figures are the settings of Suykens et al. (2000), section 4: 500 points,
// kernel exp(−‖x−z‖²/9), 25 points left out a step.
var figures = []struct {
	name   string
	mu     float64
	flips  int
	gamma  float64
	claims string
}{
	{"Fig. 2", 0.5, 0, 10, "no loss to 100"},
	{"Fig. 3", 0.5, 10, 1, "no loss to 100"},
	{"Fig. 4", 0.3, 0, 1, "less can be pruned"},
}

const (
	suykensSeeds = 8
	suykensTest  = 20000
)

// suykens walks the whole pruning path of each figure for several draws; the
// index is the rate on test points that took no part.
func suykens(ctx context.Context, e *harness.Env) error {
	harness.Header("figure", "paper", "rate at 500", "at 375", "at 250", "at 175", "at 100",
		"draws that lose at most 0.5 points down to 250")
	var lines []any
	rows := [][]string{{"figure", "support vectors", "median rate", "lowest", "highest"}}
	for _, f := range figures {
		rates, err := prune(ctx, f.mu, f.flips, f.gamma)
		if err != nil {
			return err
		}
		kept := 0
		for seed := range suykensSeeds {
			first, worst := rates[500][seed], 1.0
			for size, r := range rates {
				if size >= 250 {
					worst = min(worst, r[seed])
				}
			}
			if worst >= first-0.005 {
				kept++
			}
		}
		var xy plotter.XYs
		for size := 500; size >= 25; size -= 25 {
			r := slices.Sorted(slices.Values(rates[size]))
			xy = append(xy, plotter.XY{X: float64(size), Y: median(r)})
			rows = append(rows, []string{f.name, strconv.Itoa(size), format(median(r)), format(r[0]), format(r[len(r)-1])})
		}
		lines = append(lines, f.name, xy)
		at := func(size int) string {
			return fmt.Sprintf("%.2f", 100*median(slices.Sorted(slices.Values(rates[size]))))
		}
		harness.Row(f.name, f.claims, at(500), at(375), at(250), at(175), at(100),
			fmt.Sprintf("%d of %d", kept, suykensSeeds))
	}
	if e.Out == "" {
		return nil
	}
	return draw(e.Out, rows, lines)
}

// prune returns the rates by number of support vectors, one a draw.
func prune(ctx context.Context, mu float64, flips int, gamma float64) (map[int][]float64, error) {
	rates := make(map[int][]float64)
	for seed := range uint64(suykensSeeds) {
		set := dataset.TwoGaussians(500, mu, 0.25, flips, seed)
		test := dataset.TwoGaussians(suykensTest, mu, 0.25, 0, 1000+seed)
		y, err := set.Signs()
		if err != nil {
			return nil, err
		}
		want, err := test.Signs()
		if err != nil {
			return nil, err
		}
		p := &learn.Problem{X: set.X, Y: y, N: set.N, D: set.D, Kernel: gram.RBF(1.0 / 9)}
		p.Validation = &learn.Validation{X: test.X, Y: want, N: test.N}
		path, err := lssvm.Prune{GammaReg: gamma, MinSV: 25}.Machines(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, step := range path {
			rates[step.Size] = append(rates[step.Size], step.Index)
		}
	}
	return rates, nil
}

// draw writes the paths as data and as a picture.
func draw(folder string, rows [][]string, lines []any) error {
	f, err := os.Create(filepath.Join(folder, "suykens-path.csv"))
	if err != nil {
		return err
	}
	if err := csv.NewWriter(f).WriteAll(rows); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "support vectors", "rate on test points (median of 8 draws)"
	p.Legend.Left = false
	if err := plotutil.AddLinePoints(p, lines...); err != nil {
		return err
	}
	return p.Save(6*vg.Inch, 4*vg.Inch, filepath.Join(folder, "suykens-path.svg"))
}

// median of sorted values.
func median(r []float64) float64 { return (r[(len(r)-1)/2] + r[len(r)/2]) / 2 }

func format(v float64) string { return strconv.FormatFloat(v, 'f', 5, 64) }

package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/bench"
)

func init() {
	compare("limits", "the limits of `sparsekm bench` compared with those of a C program of its own", runLimits)
}

// runLimits measures both in turns and keeps what is best of all runs; of memory it is the best of their medians.
func runLimits(ctx context.Context, e *env) error {
	bin, err := e.compileC("limits.c")
	if err != nil {
		return err
	}
	var ours, theirs []float64
	var names []string
	for range max(1, e.Reps/2) {
		r, err := bench.Run(ctx, 20*time.Second)
		if err != nil {
			return err
		}
		var rates []float64
		var sizes []string
		names = names[:0]
		for _, l := range r.Limits {
			if l.Level != r.Levels[len(r.Levels)-1] || l.Unit == "Gexp/s" {
				continue
			}
			name := fmt.Sprintf("%s, %s", l.Name, l.Unit)
			if l.Bytes > 0 {
				sizes = append(sizes, strconv.Itoa(l.Bytes))
				name += fmt.Sprintf(", reads of %d KiB", l.Bytes>>10)
			}
			names = append(names, name)
			rates = append(rates, l.Rate)
		}
		ours = larger(ours, rates)
		if rates, err = cLimits(ctx, bin, sizes); err != nil {
			return fmt.Errorf("%s: %w", bin, err)
		}
		theirs = larger(theirs, rates)
	}
	harness.Header("limit", "sparsekm bench", "C", "ratio", "bar")
	for i, name := range names {
		harness.Row(name, fmt.Sprintf("%.4g", ours[i]), fmt.Sprintf("%.4g", theirs[i]),
			fmt.Sprintf("%.2f", ours[i]/theirs[i]), "0.9 to 1.1")
	}
	return nil
}

// cLimits runs the program.
func cLimits(ctx context.Context, bin string, sizes []string) (rates []float64, err error) {
	out, err := exec.CommandContext(ctx, bin, sizes...).Output()
	if err != nil {
		return nil, err
	}
	for _, field := range strings.Fields(string(out)) {
		rate, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, err
		}
		rates = append(rates, rate)
	}
	return rates, nil
}

// larger is the larger of each pair; what nothing came before is taken as it is.
func larger(before, now []float64) []float64 {
	if before == nil {
		return slices.Clone(now)
	}
	for i, v := range now {
		before[i] = max(before[i], v)
	}
	return before
}

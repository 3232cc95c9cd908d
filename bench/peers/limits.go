package main

import (
	"context"
	"fmt"
	"os/exec"
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
	best := map[string][2]float64{}
	var names []string
	for range max(1, e.Reps/2) {
		r, err := bench.Run(ctx, 20*time.Second)
		if err != nil {
			return err
		}
		var sizes []string
		var ours []float64
		names = nil
		for _, l := range r.Limits {
			if l.Level != r.Levels[len(r.Levels)-1] || l.Unit == "Gexp/s" {
				continue
			}
			if l.Bytes > 0 {
				sizes = append(sizes, strconv.Itoa(l.Bytes))
			}
			names = append(names, fmt.Sprintf("%s of %d KiB, %s", l.Name, l.Bytes>>10, l.Unit))
			ours = append(ours, l.Rate)
		}
		out, err := exec.CommandContext(ctx, bin, sizes...).Output()
		if err != nil {
			return err
		}
		for i, field := range strings.Fields(string(out)) {
			rate, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return err
			}
			old := best[names[i]]
			best[names[i]] = [2]float64{max(old[0], ours[i]), max(old[1], rate)}
		}
	}
	harness.Header("limit", "sparsekm bench", "C", "ratio, bar 0.9 to 1.1")
	for _, name := range names {
		b := best[name]
		harness.Row(name, fmt.Sprintf("%.4g", b[0]), fmt.Sprintf("%.4g", b[1]), fmt.Sprintf("%.2f", b[0]/b[1]))
	}
	return nil
}

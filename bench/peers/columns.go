package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
)

func init() {
	compare("columns", "cv without flags for columns compared with those that say what they are, tables in the folder "+
		"SPARSEKM_TABLES", runColumns)
}

// runColumns cross-validates the default method on every table, with the flags of the table and with those of its task
// alone. The difference is in pp, or in percent of the RMSE.
func runColumns(ctx context.Context, e *env) error {
	command, all, err := e.tables(ctx)
	if len(all) == 0 || err != nil {
		return err
	}
	harness.Header("table", "with flags", "without", "difference", "features with flags", "without")
	var sum float64
	var worse []string
	n := 0
	for _, t := range all {
		if !strings.HasSuffix(t.file, ".csv") {
			continue
		}
		with, err := command.crossValidate(ctx, t, "auto")
		if err != nil {
			return err
		}
		t.flags = slices.DeleteFunc(slices.Clone(t.flags), func(flag string) bool {
			return !strings.HasPrefix(flag, "--task")
		})
		without, err := command.crossValidate(ctx, t, "auto")
		if err != nil {
			return err
		}
		difference, show, unit, bar := 100*(without.Error-with.Error), percentOf, " pp", 1.0
		if _, values := with.Losses["rmse"]; values {
			difference, show, unit, bar = 100*(without.Error/with.Error-1), rmseText, " %", 2
		}
		n++
		if sum += difference; difference > bar {
			worse = append(worse, t.name)
		}
		harness.Row(t.name, show(with.Error), show(without.Error), fmt.Sprintf("%+.2f%s", difference, unit),
			strconv.Itoa(with.D), strconv.Itoa(without.D))
	}
	fmt.Printf("\n%d tables; mean difference %+.2f; worse by more than 1 pp or 2 %% of the RMSE: %d %s\n", n,
		sum/float64(n), len(worse), strings.Join(worse, ", "))
	return nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
)

func init() {
	compare("tables", "cv without flags compared with --scale zscore and none, tables in the folder SPARSEKM_TABLES",
		runTables)
}

// openSets are files of the shared data that go with the tables.
var openSets = []string{"banana-1000", "diabetis", "german", "heart", "ionosphere", "iris", "ringnorm-1000", "ripley-te",
	"thyroid"}

// table is a file of samples with the flags that read it.
type table struct {
	name, file string
	flags      []string
}

// runTables cross-validates the default method on every table by each scaling. The difference is to the better of
// zscore and none, in pp or in percent of the RMSE.
func runTables(ctx context.Context, e *env) error {
	command, all, err := e.tables(ctx)
	if len(all) == 0 || err != nil {
		return err
	}
	harness.Header("table", "none", "zscore", "without flags", "difference", "scaling", "said to be of no use")
	var worse []string
	for _, t := range all {
		var loss [3]float64
		var last crossValidated
		for i, scale := range []string{"none", "zscore", "auto"} {
			if last, err = command.crossValidate(ctx, t, scale); err != nil {
				return err
			}
			loss[i] = last.Error
		}
		best, show, unit, bar := min(loss[0], loss[1]), percentOf, " pp", 1.0
		difference := 100 * (loss[2] - best)
		if _, values := last.Losses["rmse"]; values {
			difference, show, unit, bar = 100*(loss[2]/best-1), rmseText, " %", 2
		}
		if difference > bar {
			worse = append(worse, t.name)
		}
		harness.Row(t.name, show(loss[0]), show(loss[1]), show(loss[2]), fmt.Sprintf("%+.2f%s", difference, unit), last.Scale,
			last.said)
	}
	fmt.Printf("\n%d tables; worse by more than 1 pp or 2 %% of the RMSE: %d %s\n", len(all), len(worse),
		strings.Join(worse, ", "))
	return nil
}

func percentOf(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }
func rmseText(v float64) string  { return fmt.Sprintf("%.4g", v) }

// tables are the command and those of the folder, generated ones, and the open sets that are there; none without a
// folder.
func (e *env) tables(ctx context.Context) (command built, all []table, err error) {
	folder := os.Getenv("SPARSEKM_TABLES")
	if folder == "" {
		fmt.Println("SPARSEKM_TABLES names no folder; bench/peers/peer/tables.py writes one")
		return command, nil, nil
	}
	if command, err = e.build(ctx); err != nil {
		return command, nil, err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.flags"))
	if err != nil {
		return command, nil, err
	}
	for _, file := range files {
		text, failed := os.ReadFile(file)
		if failed != nil {
			return command, nil, failed
		}
		base := strings.TrimSuffix(file, ".flags")
		flags := append(strings.Split(strings.TrimSpace(string(text)), "\n"), "--columns=strict")
		all = append(all, table{filepath.Base(base), base + ".csv", flags})
	}
	for _, problem := range []string{"waveform", "twonorm", "gaussians", "friedman1", "friedman2", "friedman3"} {
		file := filepath.Join(e.Tmp, problem+".csv")
		if err = exec.CommandContext(ctx, string(command), "gen", problem, "--format", "csv", "-o", file).Run(); err != nil {
			return command, nil, fmt.Errorf("gen %s: %w", problem, err)
		}
		t := table{"gen " + problem, file, nil}
		if strings.HasPrefix(problem, "friedman") {
			t.flags = []string{"--task=regress"}
		}
		all = append(all, t)
	}
	for _, name := range openSets {
		file := filepath.Join(e.Data, "open", name+".libsvm")
		if _, failed := os.Stat(file); failed == nil {
			all = append(all, table{name, file, nil})
		}
	}
	return command, all, nil
}

// crossValidated is what cv prints of a table.
type crossValidated struct {
	Error  float64
	D      int
	Scale  string
	Losses map[string]struct{ Mean float64 }
	said   string // "yes" where the last line says that no feature helped
}

// crossValidate repeats five folds, the more often the fewer rows a table has.
func (b built) crossValidate(ctx context.Context, t table, scale string) (r crossValidated, err error) {
	text, err := os.ReadFile(t.file)
	if err != nil {
		return r, err
	}
	repeat := min(20, max(2, 4000/max(1, bytes.Count(text, []byte("\n")))))
	args := slices.Concat([]string{"cv", "--json", "-q", "--folds=5", fmt.Sprintf("--repeat=%d", repeat), "--scale=" + scale},
		t.flags, []string{t.file})
	cmd := exec.CommandContext(ctx, string(b), args...)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w: %s", t.name, err, &messages)
	}
	if strings.Contains(messages.String(), "no better than") {
		r.said = "yes"
	}
	return r, nil
}

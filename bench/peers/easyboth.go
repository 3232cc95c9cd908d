package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
)

func init() {
	compare("easyboth", "LIBSVM's easy.py with LIBSVM's programs and with ours, on three sets of testdata", runEasyBoth)
}

var easyBest = regexp.MustCompile(`Best (c=\S+ g=\S+ CV rate=\S+)`)

// runEasyBoth compares the best of 110 cells, its rate on five folds and the accuracy on test samples.
func runEasyBoth(ctx context.Context, e *env) error {
	ours, err := e.build(ctx)
	if err != nil {
		return err
	}
	theirs, err := e.easyTools("theirs", exec.LookPath)
	if err != nil {
		return err
	}
	mine, err := e.easyTools("ours", func(string) (string, error) { return string(ours), nil })
	if err != nil {
		return err
	}
	harness.Header("set", "with LIBSVM's programs", "with ours")
	for _, files := range [][]string{{"ripley.train", "ripley.test"}, {"iris"}, {"diabetis"}} {
		var paths []string
		for _, f := range files {
			paths = append(paths, filepath.Join("testdata", f+".libsvm"))
		}
		row := [2]string{}
		for i, tools := range []string{theirs, mine} {
			out, _, err := easyRun(tools, paths...)
			if err != nil {
				return err
			}
			best := easyBest.FindSubmatch(out)
			if best == nil {
				return fmt.Errorf("easy.py: %s", out)
			}
			row[i] = string(best[1])
			if m := easyAccuracy.FindSubmatch(out); m != nil {
				row[i] += ", of the test samples " + string(m[1]) + " %"
			}
		}
		harness.Row(files[0], row[0], row[1])
	}
	return nil
}

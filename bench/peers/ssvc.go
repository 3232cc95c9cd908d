package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

func init() {
	compare("ssvc", "whole SSVC-A training, kernel matrix included, against LIBSVM's plain C-SVC, processor time",
		ssvcSpeed)
}

func ssvcSpeed(ctx context.Context, e *env) error {
	libsvm, err := e.compileC("libsvm_train.c", "-lsvm", "-lm")
	if err != nil {
		fmt.Println("LIBSVM left out:", err)
	}
	var rows [][]string
	for _, load := range []func(*env) (*task, error){
		setTask("banana-1000", "banana-1000.libsvm", false, 1, 1),
		setTask("german", "german.libsvm", true, 3.16, 0.018),
		setTask("german, σ=12", "german.libsvm", true, 10, 1.0/288),
		setTask("ringnorm-1000", "ringnorm-1000.libsvm", false, 1, 0.05),
	} {
		t, err := load(e)
		if err != nil {
			return err
		}
		ours, r, err := e.processor(ctx, ssvc.A{C: t.c}, t.p)
		if err != nil {
			return err
		}
		row := []string{fmt.Sprintf("%s, γ=%.4g, C=%v", t.name, t.gamma, t.c), ms(ours), "-", "-"}
		if theirs := e.libsvmProcessor(libsvm, t); theirs > 0 {
			row[2], row[3] = ms(theirs), fmt.Sprintf("%.1f", ours/theirs)
		}
		last := r.Report.Rounds[len(r.Report.Rounds)-1]
		rows = append(rows, append(row, strconv.Itoa(r.Report.Iterations), strconv.Itoa(len(r.Support)),
			fmt.Sprintf("%.1e", r.Report.Figures.(ssvc.Figures).Certificate), fmt.Sprintf("%.1e", last.Gap),
			fmt.Sprintf("%.1e", last.KKT)))
	}
	harness.Table([]string{"set", "SSVC-A, ms", "LIBSVM C-SVC, ms", "SSVC-A / LIBSVM", "rounds", "SVs", "certificate",
		"gap", "KKT"}, rows)
	return nil
}

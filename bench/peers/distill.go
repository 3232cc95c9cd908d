package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
)

func init() {
	compare("distill", "students of boosting, forests, GPs and MLPs compared with small models of the same bytes, "+
		"tables in the folder SPARSEKM_TABLES", runDistill)
}

// distillFlags choose what is distilled.
var distillFlags struct{ tables, teachers string }

func declareDistill() {
	flag.StringVar(&distillFlags.tables, "tables", "", "distill: names of tables, steps for three rules; all without")
	flag.StringVar(&distillFlags.teachers, "teachers", "boosting,forest,gp,mlp", "distill: the teachers")
}

// taught is a teacher with its students on a table. Losses are error rates, or RMSE over the standard deviation.
type taught struct {
	Table, Teacher string
	Values         bool
	TeacherLoss    float64 `json:"teacher_loss"`
	TeacherMicros  float64 `json:"teacher_us"`
	Student        float64
	Tree, Boosting float64
	MLP            float64
	Bytes, Units   int
	Asked          int
	Weight         float64
	Nanos          float64 `json:"ns"`
	Seconds        float64
}

// losses are of the student and its rivals.
func (t *taught) losses() []float64 { return []float64{t.Student, t.Tree, t.Boosting, t.MLP} }

// rank is the student's among the four; equal losses share theirs.
func rank(of float64, all []float64) float64 {
	less, same := 0, 0
	for _, v := range all {
		switch {
		case v < of:
			less++
		case v == of:
			same++
		}
	}
	return float64(less) + float64(same+1)/2
}

func runDistill(ctx context.Context, e *env) error {
	command, all, err := e.tables(ctx)
	if err != nil {
		return err
	}
	all = append([]table{{name: "steps", file: "steps"}}, all...)
	if want := distillFlags.tables; want != "" {
		all = slices.DeleteFunc(all, func(t table) bool { return !slices.Contains(strings.Split(want, ","), t.name) })
	}
	found := pythons()
	if len(found) == 0 {
		return errors.New("distill: no Python with scikit-learn (SPARSEKM_PEERS names one)")
	}
	harness.Header("table", "teacher", "its loss", "student", "tree", "boosting", "MLP", "bytes", "ns", "teacher µs",
		"asked", "label weight")
	var rows []*taught
	for _, t := range all {
		if t.name != "steps" && (filepath.Ext(t.file) != ".csv" || strings.HasPrefix(t.name, "gen ")) {
			continue // without a column target
		}
		out, failed := e.python(found[0], "distill.py", nil, append([]string{string(command), distillFlags.teachers, t.file},
			t.flags...)...)
		if failed != nil {
			fmt.Fprintln(os.Stderr, t.name, failed)
			continue
		}
		for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
			r := new(taught)
			if err = json.Unmarshal(lines.Bytes(), r); err != nil {
				return err
			}
			rows = append(rows, r)
			harness.Row(r.cells()...)
		}
	}
	distilledMean(rows)
	return nil
}

func (t *taught) cells() []string {
	show := func(v float64) string { return fmt.Sprintf("%.4g", 100*v) }
	return []string{t.Table, t.Teacher, show(t.TeacherLoss), show(t.Student), show(t.Tree), show(t.Boosting), show(t.MLP),
		fmt.Sprint(t.Bytes), fmt.Sprintf("%.0f", t.Nanos), fmt.Sprintf("%.0f", t.TeacherMicros), fmt.Sprint(t.Asked),
		fmt.Sprint(t.Weight)}
}

// distilledMean prints the mean loss to the teacher, and mean ranks.
func distilledMean(rows []*taught) {
	if len(rows) == 0 {
		return
	}
	var points, percent, classes, values float64
	ranks := make([]float64, 4)
	for _, r := range rows {
		if r.Values {
			percent, values = percent+100*(r.Student/r.TeacherLoss-1), values+1
		} else {
			points, classes = points+100*(r.Student-r.TeacherLoss), classes+1
		}
		for k, v := range r.losses() {
			ranks[k] += rank(v, r.losses()) / float64(len(rows))
		}
	}
	fmt.Printf("\n%d teachers: the student loses %.2f pp (%.0f of classes) and %.1f %% of the RMSE (%.0f of values)\n",
		len(rows), points/max(1, classes), classes, percent/max(1, values), values)
	fmt.Printf("mean ranks: student %.2f, tree %.2f, boosting %.2f, MLP %.2f\n", ranks[0], ranks[1], ranks[2], ranks[3])
}

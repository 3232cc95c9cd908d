package papers

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/modelselect"
)

// huangNext is what the paper's last section leaves to do.
func huangNext() []*Table {
	const name = "huang-section5"
	return []*Table{{
		Name: name, Title: "Huang et al. (2010), Section 5: Rätsch's thirteen sets, and Fast RVM",
		Protocol: "Parameters of least error in 5 folds of the training parts of the first five splits, then all splits; mean ± " +
			"standard deviation. Grid as for Table 2.",
		Of: []string{"data", "method"}, Ours: []string{"vectors", "error (%)", "ms"}, Rows: huangNextRows(),
		By:         []string{},
		Deviations: []string{"Twenty splits of the published sizes in place of a hundred."},
		run:        huangSection5,
	}}
}

// huangNextMethods are those of Table 2, and Fast RVM.
var huangNextMethods = []string{"svc", "ssvc-a", "ssvc-b", "rvm", "rvm-fast", "spc", "sc-svc"}

// huangNextRows has the thirteen sets that two other papers take.
func huangNextRows() []Row {
	var rows []Row
	for _, set := range kobayashiSets {
		name, _, _ := strings.Cut(set[0], ".")
		for _, method := range huangNextMethods {
			rows = append(rows, Row{Of: []string{name, method}, Data: set[0], Method: method})
		}
	}
	return rows
}

// huangChosen is the setting of least error over folds of some splits' training parts; the first of equal ones.
func (e *Env) huangChosen(ctx context.Context, set *dataset.Set, method string,
	splits []dataset.Split) (sparsekm.Options, error) {
	search, err := huangSearch(method)
	if err != nil {
		return sparsekm.Options{}, err
	}
	wrong := make([]int, len(search.Settings))
	for i, sp := range splits {
		part := set.Subset(sp.Train)
		folds, err := part.Folds(5, uint64(i))
		if err != nil {
			return sparsekm.Options{}, err
		}
		t, err := modelselect.Evaluate(ctx, part, search.Settings, folds, e.searching())
		if err != nil {
			return sparsekm.Options{}, err
		}
		for k := range wrong {
			for _, run := range t.Runs[k] {
				wrong[k] += run.Errors
			}
		}
	}
	best := 0
	for k := range wrong {
		if wrong[k] < wrong[best] {
			best = k
		}
	}
	return search.Settings[best].Options, nil
}

func huangSection5(ctx context.Context, r *Result, e *Env) error {
	return e.sets(r, func(file string, set *dataset.Set, rows []int) error {
		training, err := strconv.Atoi(kobayashiSets[rows[0]/len(huangNextMethods)][1])
		if err != nil {
			return err
		}
		splits, err := e.splits(r, set, file, ".splits", e.times(20, 2), training)
		if err != nil {
			return err
		}
		for k, i := range rows {
			o, err := e.huangChosen(ctx, set, r.Rows[i].Method, splits[:min(len(splits), 5)])
			if err != nil {
				return err
			}
			all, err := e.each(ctx, set, splits, o, nil)
			if err != nil {
				return err
			}
			r.Ours[i] = []string{withRows(pm(all.vectors, 1), all.vectors, all.rows), pm(all.error, 2),
				fmt.Sprintf("%.2f", 1000*stat.Mean(all.seconds, nil))}
			e.show(r, k+1, len(rows), strings.Join(r.Rows[i].Of, " "))
		}
		return ctx.Err()
	})
}

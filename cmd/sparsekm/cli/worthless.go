package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
)

// lossAlone is the share of the samples that are not of the largest class, or the root mean square of what the targets
// differ from their mean: the errors of models that read no features.
func lossAlone(set *dataset.Set) float64 {
	if set.Targets != nil {
		mean, err := prepare.ScaleOf(set.Targets)
		if err != nil {
			return math.Inf(1)
		}
		return rmse(set.Targets, slices.Repeat([]float64{mean.Center}, set.N))
	}
	return float64(set.N-slices.Max(set.Counts())) / float64(set.N)
}

// worthlessText says that an error is no less than that of a model that reads no features.
func worthlessText(values bool, alone float64) string {
	if values {
		return fmt.Sprintf("no better than the mean of the targets alone (RMSE %.6g)", alone)
	}
	return fmt.Sprintf("no better than its largest class alone (%s)", percent(alone))
}

// tryText is what may help: flags, and columns that were left out.
func tryText(set *dataset.Set, try []string) string {
	text := ": try " + strings.Join(try, ", ")
	if n := set.Notes; n != nil && len(n.LeftOut) > 0 {
		var names []string
		for _, c := range n.LeftOut {
			names = append(names, c.Column)
		}
		text += "; columns left out: " + listed(names, 10)
	}
	return text
}

// advice says what to try when a model is no better on its training samples than the largest class alone, or the mean
// of the targets, by the weights of the training; or on samples of a test. It is empty when the model is better.
func (p *trainPlan) advice(judged *score, tests []*testJSON) string {
	if judged.clf.Task().Blind() {
		return ""
	}
	try := tryText(p.set, p.try(p.set))
	if found, alone := judged.weighted(p.ClassWeight); !(found < alone || found == 0) {
		return worthlessText(judged.value != nil, alone) + try
	}
	for _, t := range tests {
		alone := lossAlone(t.samples.set)
		if len(p.ClassWeight) == 0 && alone > 0 && !(t.Error < alone) {
			return worthlessText(judged.value != nil, alone) + " on " + t.samples.String() + try
		}
	}
	return ""
}

// try is what may make a better model of the samples.
func (o *request) try(set *dataset.Set) (flags []string) {
	if o.Scale == dataset.ScaleNone && !o.ownUnits() && set.Sparse == nil {
		flags = append(flags, "--scale "+dataset.ScaleFloored.String())
	}
	if o.method.Name == "skm" { // whose C weighs the complexity
		flags = append(flags, "a smaller --c")
	} else if hasParameter(o.method, "c") {
		flags = append(flags, "a larger --c")
	}
	if o.Kernel.HasGamma() && !o.method.OwnKernel {
		flags = append(flags, "another --gamma (median) or --sigma")
	}
	return append(flags, "another --method or --kernel")
}

// refused is [stopped] that says, of a training that does not fit the memory budget, which flags make it fit.
func (p *trainPlan) refused(err error) error {
	var large *learn.BudgetError
	if !errors.As(err, &large) {
		return stopped(err)
	}
	const share, most, least = 2, 1 << 14, 1 << 6 // the room for the method, and for caches
	fits := func(m learn.Method, values learn.Values) bool {
		t, failed := m.New(values)
		return failed == nil && learn.ForSize(t, large.N).EstimateMemory(large.N, large.D) <= (p.Memory-p.InUse)/share
	}
	var try []string
	values := learn.ValuesOf(p.Trainer)
	for k := most; k >= least && p.method.Candidates != learn.NoSides && len(try) == 0; k /= 2 {
		if values["candidates"] = k; fits(p.method, values) {
			try = append(try, fmt.Sprintf("--candidates %d", k))
		}
	}
	task, _ := sparsekm.TaskOf(p.method, p.set) // it has been trained by this method
	for _, m := range sparsekm.Methods() {
		_, sized := bare(m).(learn.Sized)
		if sized && m.Candidates == learn.AnySide && m.Name != p.method.Name && m.Takes(task) && fits(m, nil) {
			try = append(try, "--method "+m.Name)
		}
	}
	try = append(try, "a --time-limit, in which it trains on as many samples as fit")
	return fmt.Errorf("%w, or try %s", err, strings.Join(try, ", or "))
}

// ownUnits reports whether the features are no measurements, or the kernel weighs them by itself.
func (o *request) ownUnits() bool { return o.Kernel.Indexed() || o.KernelOf != nil }

func hasParameter(m learn.Method, name string) bool {
	return slices.ContainsFunc(m.Params(), func(p learn.Param) bool { return p.Name == name })
}

// noteWorthless says what to try where a setting has one answer for every sample of a split, or an error over the
// samples of all splits that is no less than that of the largest class or of the mean alone. With weights of classes,
// the error is no measure.
func noteWorthless(s *session.Session, set *dataset.Set, runs []*modelselect.Run, weighted bool, try ...string) {
	constant, all, samples, what, loss := 0, 0, 0, "class", 0.0
	for _, r := range runs {
		if r == nil {
			continue
		}
		all++
		samples += r.Tested
		if r.Constant {
			constant++
		}
		if v, values := r.Losses[modelselect.RMSE.String()]; values {
			what = "value"
			loss += v * v * float64(r.Tested)
		} else {
			loss += r.Losses[modelselect.Error.String()] * float64(r.Tested)
		}
	}
	var found []string
	if constant > 0 {
		found = append(found, fmt.Sprintf("on %d of %d splits every sample was given the same %s", constant, all, what))
	}
	if samples > 0 && set.Targeted() && !weighted {
		const rounding = 1e-9 // more than that of the sums
		if loss /= float64(samples); set.Targets != nil {
			loss = math.Sqrt(loss)
		}
		if alone := lossAlone(set); !(loss < alone*(1-rounding) || loss == 0) {
			found = append(found, worthlessText(set.Targets != nil, alone))
		}
	}
	if len(found) > 0 {
		s.Note("%s%s", strings.Join(found, "; "), tryText(set, try))
	}
}

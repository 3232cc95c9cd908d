package modelselect

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/metrics"
)

// counted is a run with so many errors.
func counted(errors, points, trained int) *Run {
	return &Run{Errors: errors, Tested: points, Trained: trained,
		Losses: map[string]float64{"error": float64(errors) / float64(points)}}
}

func ends(i *metrics.Interval) []float64 {
	if i == nil {
		return nil
	}
	return []float64{i.Low, i.High}
}

func shareEnds(p, n float64) []float64 {
	i := metrics.Share(p, n, metrics.Level)
	return ends(&i)
}

// TestInterval: an error rate counts every sample once, however many splits test it, and one split suffices. A run
// that failed has none, nor has one without any sample's loss.
func TestInterval(t *testing.T) {
	folds := []*Run{counted(3, 20, 80), counted(1, 20, 80), nil, counted(0, 20, 80), counted(2, 20, 80), counted(4, 20, 80)}
	testutil.NearAll(t, "folds", ends(intervalOf(folds, Error)), shareEnds(0.1, 100), 1e-12)
	testutil.NearAll(t, "twice", ends(intervalOf(append(folds, folds...), Error)), shareEnds(0.1, 100), 1e-12)
	testutil.NearAll(t, "one", ends(intervalOf(folds[3:4], Error)), shareEnds(0, 20), 1e-12)
	for _, bad := range [][]*Run{nil, {nil}, {{Failed: "no model", Tested: 3}}, {{Tested: 3}}} {
		if i := intervalOf(bad, Error); i != nil {
			t.Errorf("%+v: %+v", bad, i)
		}
	}
	// A ledger of an earlier version has losses alone: mean 2 and standard error 0.1/√3.
	var older []*Run
	for _, l := range []float64{1.9, 2, 2.1} {
		older = append(older, &Run{Tested: 10, Trained: 20, Losses: map[string]float64{"rmse": l, "auc": l / 4}})
	}
	of := metrics.Positive(2, 0.1/1.7320508075688772, 3, metrics.Level)
	testutil.NearAll(t, "over splits", ends(intervalOf(older, RMSE)), ends(&of), 1e-12)
	if i := intervalOf(older, AUC); i == nil || !(i.Low < 0.5 && i.High > 0.5) {
		t.Errorf("area over splits %+v", i)
	}
	if i := intervalOf(older[:1], RMSE); i != nil {
		t.Errorf("of one loss alone: %+v", i)
	}
}

// TestOverfitting: an interval is that of fewer samples if a model errs less on its own: of n/1.6 if it errs on none,
// or as much as a guess on others.
func TestOverfitting(t *testing.T) {
	runs := func(fitted float64, errors ...int) (all []*Run) {
		for _, e := range errors {
			r := counted(e, 20, 80)
			r.Fitted, r.Classes = &fitted, [][2]int{{10, e}, {10, 0}}
			all = append(all, r)
		}
		return all
	}
	for _, c := range []struct {
		runs []*Run
		want float64
	}{
		{runs(0, 4, 4, 4, 4, 4), 1.6}, {runs(0.2, 8, 12, 10, 10, 10), 1.6}, {runs(0.3, 4, 4, 4, 4, 4), 1},
		{runs(0, 0, 0, 0, 0, 0), 1.6},
	} {
		testutil.Near(t, "factor", overfitting(c.runs, 100), c.want, 1e-12)
	}
	if v := overfitting(runs(0.2, 4, 4, 4, 4, 4), 100); !(v > 1 && v < 1.05) { // by what few samples leave open
		t.Errorf("as many errors as on training samples: %v", v)
	}
	h, _ := heldOut(runs(0, 4, 4, 4, 4, 4), Error)
	testutil.Near(t, "samples", h.samples, 100/1.6, 1e-12)
	older := runs(0, 4, 4)
	older[1].Fitted = nil
	values := []*Run{{Fitted: new(1.0), Losses: map[string]float64{"rmse": 2, "r2": 0.5}}}
	e := 4 + 4*2./102 // squared, of 8 without a model
	for name, c := range map[string][2]float64{"an older ledger": {overfitting(older, 40), 1},
		"values": {overfitting(values, 100), 1 + 0.6*(e-1)/e*8/7}} {
		testutil.Near(t, name, c[0], c[1], 1e-12)
	}
}

// TestOverfitCoverage: with twenty features of which one matters, models of forty samples differ so much that the
// samples alone would explain too little.
func TestOverfitCoverage(t *testing.T) {
	const draws, n, d, others = 150, 40, 20, 1500
	one := Setting{Name: "svc", Options: sparsekm.Options{Trainer: svc.Trainer{C: 10}, Kernel: gram.Linear()}}
	covers, before := 0, 0
	for draw := range uint64(draws) {
		rng := dataset.NewRand(draw)
		all := &dataset.Set{N: n + others, D: d, Labels: []string{"a", "b"}}
		rows := make([]int, all.N)
		for i := range all.N {
			rows[i] = i
			all.Y = append(all.Y, i%2)
			for k := range d {
				all.X = append(all.X, rng.NormFloat64()+float64(2*(i%2)*(1-min(k, 1))))
			}
		}
		set, test := all.Subset(rows[:n]), all.Subset(rows[n:])
		splits, err := Folds(set, 5, 1, draw)
		if err != nil {
			t.Fatal(err)
		}
		table, err := Evaluate(t.Context(), set, []Setting{one}, splits, Options{})
		if err != nil {
			t.Fatal(err)
		}
		tuned, err := table.Train(t.Context(), set, Best, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := sparsekm.Evaluate(t.Context(), tuned.Classifier, test, 0)
		if err != nil {
			t.Fatal(err)
		}
		in := func(i *metrics.Interval) int {
			if i.Low <= *r.ErrorRate && *r.ErrorRate <= i.High {
				return 1
			}
			return 0
		}
		covers += in(tuned.Scores[0].Interval)
		for _, run := range table.Runs[0] {
			run.Fitted = nil
		}
		before += in(intervalOf(table.Runs[0], Error))
	}
	t.Logf("%d of %d, without it %d", covers, draws, before)
	if !(covers >= draws*92/100) || !(before < draws*92/100) {
		t.Errorf("%d of %d, without it %d", covers, draws, before)
	}
}

// TestIntervalGroups: samples of a group that err together count as one; where groups mean nothing, samples count as
// they are.
func TestIntervalGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var groups []string
	var together, apart []float64
	wrong := 0.0
	for i := range 400 {
		if i%10 == 0 {
			wrong = float64(rng.IntN(2))
		}
		groups = append(groups, fmt.Sprint(i/10))
		together = append(together, wrong)
		apart = append(apart, float64(rng.IntN(2)))
	}
	one := func(losses []float64) (*Run, float64) {
		errors := 0
		for _, l := range losses {
			errors += int(l)
		}
		r := counted(errors, 400, 1600)
		r.Groups = groupedLosses(losses, groups)
		return r, float64(errors) / 400
	}
	r, p := one(together)
	testutil.NearAll(t, "40 groups", ends(intervalOf([]*Run{r}, Error)), shareEnds(p, 40), 0.01)
	r, p = one(apart)
	testutil.NearAll(t, "400 samples", ends(intervalOf([]*Run{r}, Error)), shareEnds(p, 400), 0.03)
	r, _ = one(make([]float64, 400))
	testutil.NearAll(t, "no error", ends(intervalOf([]*Run{r}, Error)), shareEnds(0, 40), 1e-12)
	if groupedLosses(apart, nil) != nil {
		t.Error("groups of nothing")
	}
}

// TestIntervalMetrics: runs have what the interval of every metric needs, and their intervals contain the mean. They
// are about as wide as one test part of as many samples would have.
func TestIntervalMetrics(t *testing.T) {
	set := rings(200)
	for i := range set.N {
		set.Groups = append(set.Groups, fmt.Sprint(i/2))
	}
	splits, err := Folds(set, 5, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	settings := []Setting{{Name: "svc", Options: sparsekm.Options{Trainer: svc.Trainer{C: 1}, Kernel: gram.RBF(0.5)}}}
	for _, m := range []Metric{Error, Balanced, AUC, LogLoss} {
		table, failed := Evaluate(t.Context(), set, settings, splits, Options{Metric: m})
		if failed != nil {
			t.Fatal(failed)
		}
		s := table.Scores()[0]
		i := s.Interval
		if i == nil || !(i.Low < s.Mean && s.Mean < i.High && i.High-i.Low < 0.3) {
			t.Errorf("%v: %v, %+v", m, s.Mean, i)
		}
		r := table.Runs[0][0]
		if r.Groups == nil || r.Groups.Count == 0 || len(r.Classes) != 2 || r.Classes[0][0]+r.Classes[1][0] != r.Tested ||
			r.Classes[0][1]+r.Classes[1][1] != r.Errors {
			t.Errorf("%v: %+v", m, r)
		}
	}
	wave := dataset.Sinc(60, 0.1, 1)
	if splits, err = Folds(wave, 5, 1, 1); err != nil {
		t.Fatal(err)
	}
	regression := sparsekm.Options{Trainer: svc.SVR{C: 1, Epsilon: 0.1}, Kernel: gram.RBF(0.5)}
	settings = []Setting{{Name: "svr", Options: regression}}
	for _, m := range []Metric{RMSE, MAE, R2} {
		table, err := Evaluate(t.Context(), wave, settings, splits, Options{Metric: m})
		if err != nil {
			t.Fatal(err)
		}
		s := table.Scores()[0]
		i := s.Interval
		if i == nil || !(0 < i.Low && i.Low < s.Mean && s.Mean < i.High) || len(table.Runs[0][0].SE) != 3 {
			t.Errorf("%v: %v, %+v", m, s.Mean, i)
		}
	}
}

// TestChoiceBy: twenty settings that guess all have the error 1/2. The least of their errors looks better than that;
// the error of the choice does not. Its interval covers 1/2 less often than it says, since the choices of the splits
// depend on each other, which is at its worst for settings that have nothing in common; the interval of the least
// error hardly ever does. Repetitions are judged one by one.
func TestChoiceBy(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const draws, settings, folds, points = 600, 20, 5, 20
	var own, choice float64
	covers, ownCovers := 0, 0
	for range draws {
		table := &Table{Splits: folds, Settings: make([]Setting, settings)}
		for range settings {
			var runs []*Run
			for range folds {
				errors := 0
				for range points {
					errors += rng.IntN(2)
				}
				runs = append(runs, counted(errors, points, points*(folds-1)))
			}
			table.Runs = append(table.Runs, runs)
		}
		scores := table.Scores()
		best := scores[Choose(scores, Best)]
		mean, i := table.ChoiceBy(Best)
		own += best.Mean / draws
		choice += mean / draws
		if i.Low <= 0.5 && 0.5 <= i.High {
			covers++
		}
		if best.Interval.Low <= 0.5 && 0.5 <= best.Interval.High {
			ownCovers++
		}
	}
	testutil.Near(t, "error of the choice", choice, 0.5, 0.01)
	testutil.AtMost(t, "the least error", own, 0.43)
	testutil.AtMost(t, "the least coverage", 0.75, float64(covers)/draws)
	testutil.AtMost(t, "coverage of the best setting's own interval", float64(ownCovers)/draws, 0.6)

	two := &Table{Splits: 4, Repeats: 2, Settings: make([]Setting, 2)}
	for _, errors := range [][4]int{{1, 5, 2, 6}, {2, 4, 3, 3}} {
		var runs []*Run
		for _, e := range errors {
			runs = append(runs, counted(e, 10, 10))
		}
		two.Runs = append(two.Runs, runs)
	}
	mean, _ := two.ChoiceBy(Best) // by split 1: the second, then the first; by split 3: the second, then the first
	testutil.Near(t, "two repetitions", mean, (0.2+0.5+0.3+0.6)/4, 1e-15)
	one := &Table{Splits: 1, Settings: two.Settings, Runs: [][]*Run{two.Runs[0][:1], two.Runs[1][:1]}}
	if none, i := one.ChoiceBy(Best); none == none || i != nil {
		t.Errorf("one split, which chose: %v, %v", none, i)
	}
	two.Runs[0][3], two.Runs[1][3] = nil, nil // an interrupt: the third split has no other of its repetition
	mean, _ = two.ChoiceBy(Best)
	testutil.Near(t, "an interrupted repetition", mean, (0.2+0.5)/2, 1e-15)
	one.Settings, one.Runs = one.Settings[:1], one.Runs[:1]
	mean, i := one.ChoiceBy(Best)
	testutil.NearAll(t, "one setting", append(ends(i), mean), append(shareEnds(0.1, 10), 0.1), 1e-12)
}

// TestFitCoverage repeats a part of the table of coverage in docs/performance/fit.md: the interval nearly always has
// the error of the model on other samples.
func TestFitCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of trainings")
	}
	const draws, n, others = 10, 40, 4000
	covers, rows := 0, make([]int, n+others)
	for i := range rows {
		rows[i] = i
	}
	for draw := range draws {
		all := dataset.PelegMeir(n+others, 0.1, uint64(draw)+1)
		o := FitOptions{Time: time.Hour, Seed: 1, Baselines: quickBaselines(t)[:1]}
		f, err := Fit(t.Context(), all.Subset(rows[:n]), o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := sparsekm.Evaluate(t.Context(), f.Classifier, all.Subset(rows[n:]), 0)
		if err != nil {
			t.Fatal(err)
		}
		if e := *r.ErrorRate; f.Interval.Low <= e && e <= f.Interval.High {
			covers++
		}
	}
	if covers < 8 { // of intervals that cover 95 %, one in 100 times
		t.Errorf("%d of %d intervals have the error", covers, draws)
	}
}

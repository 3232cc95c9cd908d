package metrics

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestShare compares with scipy.stats.binomtest(...).proportion_ci(method="wilson") of SciPy 1.17.1, and with what
// makes the interval: its ends are where the found share is z standard errors away.
func TestShare(t *testing.T) {
	for _, c := range []struct{ wrong, n, low, high float64 }{
		{0, 10, 0, 0.27753279986288926}, {1, 10, 0.017876213095072896, 0.4041500267952385},
		{5, 50, 0.04347576493189041, 0.21360231437479654}, {7, 168, 0.020327550685063263, 0.08349756196898245},
		{10, 10, 0.7224672001371109, 1}, {120, 1000, 0.10129926060130914, 0.14160907584771276},
	} {
		i := Share(c.wrong/c.n, c.n, Level)
		testutil.NearAll(t, "scipy", []float64{i.Low, i.High}, []float64{c.low, c.high}, 1e-12)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		p, n := rng.Float64(), 1+500*rng.Float64()
		level := 0.5 + 0.49*rng.Float64()
		i := Share(p, n, level)
		for _, q := range []float64{i.Low, i.High} {
			testutil.NearRel(t, "distance of an end", math.Abs(p-q), normal(level)*math.Sqrt(q*(1-q)/n), 1e-9)
		}
		other := Share(1-p, n, level)
		testutil.NearAll(t, "of the right ones", []float64{1 - other.High, 1 - other.Low}, []float64{i.Low, i.High}, 1e-12)
		wider := Share(p, n/2, level)
		if !(0 <= wider.Low && wider.Low < i.Low && i.Low < p && p < i.High && i.High < wider.High && wider.High <= 1) {
			t.Errorf("%v of %v, %v: %+v, of half as many %+v", p, n, level, i, wider)
		}
	}
}

// binomial are the probabilities of 0 to n of n samples, each with the probability p, in exact arithmetic.
func binomial(n int, p *big.Rat) (all []*big.Rat) {
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	for k := range n + 1 {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
		for range k {
			term.Mul(term, p)
		}
		for range n - k {
			term.Mul(term, q)
		}
		all = append(all, term)
	}
	return all
}

// sum is exact up to its last rounding.
func sum(terms []*big.Rat) float64 {
	s := new(big.Rat)
	for _, v := range terms {
		s.Add(s, v)
	}
	f, _ := s.Float64()
	return f
}

// TestShareCoverage adds up, by exact binomial probabilities, how likely the interval covers the share that it is of.
// The mean over shares is the level within half a point; the exact interval covers more, and contains it on average.
func TestShareCoverage(t *testing.T) {
	for _, n := range []int{12, 30} {
		intervals := make([]Interval, n+1)
		for k := range intervals {
			intervals[k] = Share(float64(k)/float64(n), float64(n), Level)
		}
		const steps = 50
		mean := 0.0
		for step := range steps {
			p := big.NewRat(int64(2*step+1), 2*steps)
			q, _ := p.Float64()
			var within []*big.Rat
			for k, chance := range binomial(n, p) {
				if i := intervals[k]; i.Low <= q && q <= i.High {
					within = append(within, chance)
				}
			}
			covered := sum(within)
			testutil.AtMost(t, "the least coverage", 0.83, covered)
			mean += covered / steps
		}
		testutil.Near(t, "mean coverage", mean, Level, 0.005)
	}
	// The ends of the exact interval (SciPy's method "exact") have tails of 2.5 %; Wilson's lie within or near them.
	for _, c := range []struct {
		wrong, n  int
		low, high float64
	}{{1, 10, 0.0025285785444625728, 0.44501611702819543}, {5, 50, 0.03327509358902151, 0.2181353664342022}} {
		valueOf := func(p float64) []*big.Rat { return binomial(c.n, new(big.Rat).SetFloat64(p)) }
		testutil.Near(t, "tail at the exact lower end", sum(valueOf(c.low)[c.wrong:]), 0.025, 1e-12)
		testutil.Near(t, "tail at the exact upper end", sum(valueOf(c.high)[:c.wrong+1]), 0.025, 1e-12)
		i := Share(float64(c.wrong)/float64(c.n), float64(c.n), Level)
		testutil.AtMost(t, "the exact interval's width and Wilson's", i.High-i.Low, c.high-c.low)
	}
}

// TestMean: Student's quantiles are SciPy's, and a logarithm's interval is that of the value.
func TestMean(t *testing.T) {
	for _, c := range []struct{ n, t float64 }{{2, 12.706204736174694}, {5, 2.7764451051977934}, {60, 2.000995378088267},
		{1e6, 1.9599639845}} {
		i := Mean(3, 0.5, c.n, Level)
		testutil.NearAll(t, "Student's interval", []float64{i.Low, i.High}, []float64{3 - c.t/2, 3 + c.t/2}, 1e-9)
		interval := Positive(3, 0.5, c.n, Level)
		testutil.NearAll(t, "logarithms", []float64{math.Log(interval.Low / 3), math.Log(interval.High / 3)},
			[]float64{-c.t / 6, c.t / 6}, 1e-9)
	}
	if i := Mean(3, 0, 1, Level); !math.IsInf(i.Low, -1) || !math.IsInf(i.High, 1) {
		t.Errorf("of a single sample: %+v", i)
	}
	if i := Positive(0, 0, 5, Level); i.Low != 0 || i.High != 0 {
		t.Errorf("of no error at all: %+v", i)
	}
}

// TestMeanShare: of one share it is Wilson's interval, and of equal ones about that of all samples together.
func TestMeanShare(t *testing.T) {
	one, same := MeanShare([]float64{0.2}, []float64{80}, Level), Share(0.2, 80, Level)
	testutil.NearAll(t, "one share", []float64{one.Low, one.High}, []float64{same.Low, same.High}, 1e-15)
	three, all := MeanShare([]float64{0.2, 0.2, 0.2}, []float64{80, 80, 80}, Level), Share(0.2, 240, Level)
	testutil.NearAll(t, "three equal ones", []float64{three.Low, three.High}, []float64{all.Low, all.High}, 0.01)
	if none := MeanShare([]float64{0, 0}, []float64{9, 9}, Level); !(none.Low == 0 && none.High > 0.1) {
		t.Errorf("no errors: %+v", none)
	}
}

// TestArea: the interval covers the area of two normal distributions as often as it says, is symmetric, and has a width
// where the found area is 1.
func TestArea(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const shift, draws = 1.2, 2000
	truth, covered := 0.5*math.Erfc(-shift/2), 0
	for range draws {
		var neg, pos []float64
		for range 30 {
			neg = append(neg, rng.NormFloat64())
		}
		for range 20 {
			pos = append(pos, rng.NormFloat64()+shift)
		}
		if i := Area(*auc(neg, pos), [][]int{{30, 20}}, 1, Level); i.Low <= truth && truth <= i.High {
			covered++
		}
	}
	testutil.Near(t, "coverage", float64(covered)/draws, Level, 0.015)
	a, b := Area(0.8, [][]int{{30, 20}}, 1, Level), Area(0.2, [][]int{{20, 30}}, 1, Level)
	testutil.NearAll(t, "the other way round", []float64{1 - b.High, 1 - b.Low}, []float64{a.Low, a.High}, 1e-12)
	if all := Area(1, [][]int{{30, 20}}, 1, Level); !(all.High == 1 && all.Low > 0.8 && all.Low < 0.99) {
		t.Errorf("all in order: %+v", all)
	}
	parts := Area(0.8, [][]int{{30, 20}, {30, 20}, {30, 0}}, 1, Level)
	twice := Area(0.8, [][]int{{30, 20}, {30, 20}}, 2, Level)
	testutil.NearAll(t, "twice the same samples", []float64{twice.Low, twice.High}, []float64{a.Low, a.High}, 1e-9)
	testutil.Near(t, "twice as many", (parts.High-parts.Low)/(a.High-a.Low), math.Sqrt(0.5), 0.03)
	three := Area(0.8, [][]int{{30, 20, 25}}, 1, Level)
	testutil.AtMost(t, "three classes", three.High-three.Low, 0.3)
	testutil.AtMost(t, "at least", 0.1, three.High-three.Low)
}

// TestReportIntervals compares the standard errors of regression metrics with those of a literal delta method over
// samples far from 0, and wants intervals of every metric that a report has.
func TestReportIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 200
	var v RegressionTally
	var y, e []float64
	for range n {
		y = append(y, 1e4+rng.ExpFloat64())
		e = append(e, 0.3*rng.NormFloat64())
		v.Add(y[len(y)-1:], []float64{y[len(y)-1] - e[len(e)-1]})
	}
	var mean, squares, abs, spread float64
	for i := range n {
		mean += y[i] / n
		squares += e[i] * e[i] / n
		abs += math.Abs(e[i]) / n
	}
	for _, v := range y {
		spread += (v - mean) * (v - mean) / n
	}
	se := func(valueOf func(i int) float64) float64 {
		var m moments
		for i := range n {
			m.add(valueOf(i))
		}
		return m.se()
	}
	r := v.Report()
	testutil.NearRel(t, "MAE", r.SE["mae"], se(func(i int) float64 { return math.Abs(e[i]) }), 1e-9)
	testutil.NearRel(t, "RMSE", r.SE["rmse"], se(func(i int) float64 { return e[i] * e[i] })/(2*math.Sqrt(squares)), 1e-9)
	testutil.NearRel(t, "R²", r.SE["r2"], se(func(i int) float64 {
		return (e[i]*e[i] - squares/spread*(y[i]-mean)*(y[i]-mean)) / spread
	}), 1e-6)
	for name, value := range map[string]float64{"mae": *r.MAE, "rmse": *r.RMSE, "r2": *r.R2} {
		if i := r.Intervals[name]; !(i.Low < value && value < i.High) {
			t.Errorf("%s: %v, %+v", name, value, i)
		}
	}
	var d Densities
	d.Add([]float64{1, 2, 4})
	i := d.Report().Intervals["log_density"]
	testutil.NearAll(t, "log density", []float64{i.Low, i.High}, []float64{7./3 - 3.7945830336, 7./3 + 3.7945830336}, 1e-6)
	tally := New([]string{"a", "b"})
	tally.Add([]int{0, 0, 1, 1}, []int{0, 0, 1, 1}, []float64{-1, -2, 1, 2})
	tally.AddProbabilities([]int{0, 1}, []float64{0.9, 0.1, 0.2, 0.8})
	for name, interval := range tally.Report().Intervals {
		if !(interval.Low < interval.High) {
			t.Errorf("%s of no error: %+v", name, interval)
		}
	}
	if got := tally.Report().Intervals; len(got) != 4 || len(New([]string{"a", "b"}).Report().Intervals) != 0 {
		t.Errorf("intervals %+v", got)
	}
}

// TestRMSECoverage: the interval of a root of mean squares covers as often as it says.
func TestRMSECoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const draws = 1500
	covered := 0
	for range draws {
		var v RegressionTally
		for range 100 {
			v.Add([]float64{rng.NormFloat64()}, []float64{0})
		}
		if i := v.Report().Intervals["rmse"]; i.Low <= 1 && 1 <= i.High {
			covered++
		}
	}
	testutil.Near(t, "coverage", float64(covered)/draws, Level, 0.02)
}

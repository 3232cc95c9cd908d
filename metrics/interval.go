package metrics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Interval is a confidence interval of a metric in the population from which the samples were drawn.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Level is the confidence level of every interval that reports have.
const Level = 0.95

// normal is the quantile of the standard normal distribution that leaves (1 − level)/2 above it.
func normal(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// Share is Wilson's score interval of a probability, from the share p of n independent samples: all q for which
// |p − q| ≤ z √(q(1 − q)/n) (Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
// the American Statistical Association 22, 1927). It lies in [0, 1], and has a width for p = 0 too. n may be a
// fraction, where samples depend on each other.
//
// Its coverage is the level on average over q. That of the exact interval of Clopper and Pearson is never below the
// level, and so some percent above it on some hundred samples (Brown, Cai and DasGupta, "Interval estimation for a
// binomial proportion", Statistical Science 16, 2001, who recommend Wilson's).
func Share(p, n, level float64) Interval {
	if !(n > 0) || !(p >= 0 && p <= 1) {
		panic(fmt.Sprintf("metrics: an interval of the share %v of %v samples", p, n))
	}
	z := normal(level)
	zz := z * z / n
	middle, half := p+zz/2, math.Sqrt(zz*(p*(1-p)+zz/4))
	i := Interval{(middle - half) / (1 + zz), (middle + half) / (1 + zz)}
	if i.Low = max(0, i.Low); p == 0 {
		i.Low = 0
	}
	if i.High = min(1, i.High); p == 1 {
		i.High = 1
	}
	return i
}

// Mean is Student's interval of a mean with a standard error from n independent samples: mean ± t se, with n − 1
// degrees of freedom. Of a single sample it has no ends.
func Mean(mean, se, n, level float64) Interval {
	half := student(n, level) * se
	if n <= 1 {
		half = math.Inf(1)
	}
	return Interval{mean - half, mean + half}
}

// student is the quantile of Student's distribution of n − 1 degrees of freedom, as [normal] is of the normal one: for
// ν degrees, P(|T| > t) = I_{ν/(ν+t²)}(ν/2, 1/2).
func student(n, level float64) float64 {
	nu := max(n-1, 1)
	if nu > 1e5 {
		return normal(level)
	}
	return math.Sqrt(nu * (1/mathext.InvRegIncBeta(nu/2, 0.5, 1-level) - 1))
}

// Positive is an interval of a positive quantity with a standard error from n independent samples, such as a root of
// mean squares: Student's interval of its logarithm, whose standard error is se/value by the delta method. So both ends
// are positive, and the upper one is further away, as squares are skewed. A value of 0 has the interval [0, 0].
func Positive(value, se, n, level float64) Interval {
	if value <= 0 {
		return Interval{value, value}
	}
	interval := Mean(math.Log(value), se/value, n, level)
	return Interval{math.Exp(interval.Low), math.Exp(interval.High)}
}

// MeanShare is an interval of the mean of independent shares, such as that of the error rates of classes, with a
// Wilson interval each: the mean minus, and plus, the root of the sum of squared distances to the lower, and to the
// upper ends, over their number (Zou and Donner, "Construction of confidence limits about effect measures: a general
// approach", Statistics in Medicine 27, 2008, equation (5), for a sum of several terms).
func MeanShare(p, n []float64, level float64) Interval {
	var mean, below, above float64
	k := float64(len(p))
	for c, v := range p {
		interval := Share(v, n[c], level)
		mean += v / k
		below += (v - interval.Low) * (v - interval.Low)
		above += (interval.High - v) * (interval.High - v)
	}
	return Interval{max(0, mean-math.Sqrt(below)/k), min(1, mean+math.Sqrt(above)/k)}
}

// Area is an interval of the mean of the areas under the ROC curves of some independent test parts. Counts has a row
// for each of them, the samples of each class; of more than two classes an area is the mean over each one against the
// rest. It has all areas that differ from the found one by no more than z standard errors, which are those of Hanley
// and McNeil at the other area (Newcombe, "Confidence intervals for an effect size measure based on the Mann-Whitney
// statistic, part 2", Statistics in Medicine 25, 2006, method 5). So it has a width for an area of 1 too. The areas of
// several classes depend on each other: their mean is taken to vary as much as the areas themselves do on average.
// Repeats is how often the parts have each sample.
func Area(area float64, counts [][]int, repeats, level float64) Interval {
	z := normal(level)
	outside := func(q float64) bool {
		var variance, parts float64
		for _, row := range counts {
			if se, ok := areaError(q, row); ok {
				variance += se * se
				parts++
			}
		}
		return math.Abs(area-q) > z*math.Sqrt(repeats*variance)/parts
	}
	end := func(far float64) float64 {
		in, out := area, far
		for range 60 {
			if middle := (in + out) / 2; outside(middle) {
				out = middle
			} else {
				in = middle
			}
		}
		return (in + out) / 2
	}
	i := Interval{0, 1}
	if area > 0 {
		i.Low = end(0)
	}
	if area < 1 {
		i.High = end(1)
	}
	return i
}

// areaError is the standard error of an area, the mean over the curves that the samples of the classes make.
func areaError(area float64, classes []int) (se float64, ok bool) {
	all, curves := 0, 0.0
	for _, n := range classes {
		all += n
	}
	if len(classes) == 2 {
		classes = classes[:1]
	}
	for _, n := range classes {
		m, rest := float64(n), float64(all-n)
		if m > 0 && rest > 0 {
			more := (m+rest)/2 - 1
			se += math.Sqrt(area * (1 - area) * (1 + more*((1-area)/(2-area)+area/(1+area))) / (m * rest))
			curves++
		}
	}
	return se / curves, curves > 0
}

// moments are what a mean and its standard error need.
type moments struct {
	n            int
	sum          float64
	mean, spread float64 // mean, and sum of squared distances from it (Welford 1962)
}

func (m *moments) add(v float64) {
	m.n++
	m.sum += v
	d := v - m.mean
	m.mean += d / float64(m.n)
	m.spread += d * (v - m.mean)
}

// se is the standard error of the mean of at least two values.
func (m *moments) se() float64 { return math.Sqrt(m.spread / float64(m.n-1) / float64(m.n)) }

func (r *Report) give(name string, se float64, i Interval) {
	if r.SE == nil {
		r.SE, r.Intervals = make(map[string]float64), make(map[string]Interval)
	}
	r.SE[name], r.Intervals[name] = se, i
}

// intervals fills in the report's intervals.
func (t *Tally) intervals(r *Report) {
	if n := t.loss.n; n > 1 {
		r.give("log_loss", t.loss.se(), Positive(*r.LogLoss, t.loss.se(), float64(n), Level))
	}
	if r.Samples == 0 {
		return
	}
	if r.Intervals == nil {
		r.Intervals = make(map[string]Interval)
	}
	r.Intervals["error_rate"] = Share(*r.ErrorRate, float64(r.Samples), Level)
	var recalls, sizes []float64
	var counts []int
	for _, c := range r.Classes {
		counts = append(counts, c.Samples)
		if c.Recall != nil {
			recalls = append(recalls, *c.Recall)
			sizes = append(sizes, float64(c.Samples))
		}
	}
	if len(recalls) > 0 {
		r.Intervals["balanced_accuracy"] = MeanShare(recalls, sizes, Level)
	}
	if r.AUC != nil {
		r.Intervals["auc"] = Area(*r.AUC, [][]int{counts}, 1, Level)
	}
}

// intervals fills in standard errors by the delta method: of a mean m of squares se(m) / (2 √m), and of the ratio
// R = Σ e² / Σ (y − ȳ)² the deviation of e² − R (y − ȳ)² over the mean of (y − ȳ)².
func (v *RegressionTally) intervals(r *Report) *Report {
	n := float64(v.targets.n)
	if n < 2 {
		return r
	}
	scaled := n * (n - 1) // a sum of squared distances over it is the square of a mean's standard error
	se := math.Sqrt(max(0, v.squared-v.abs*v.abs/n) / scaled)
	r.give("mae", se, Positive(*r.MAE, se, n, Level))
	if r.give("rmse", 0, Interval{}); *r.RMSE > 0 {
		se = math.Sqrt(max(0, v.fourth-v.squared*v.squared/n)/scaled) / (2 * *r.RMSE)
		r.give("rmse", se, Positive(*r.RMSE, se, n, Level))
	}
	if r.R2 != nil {
		m, p, w, share := v.powers[1]/n, v.powers, v.weighted, v.squared/v.targets.spread
		crossed := w[2] - 2*m*w[1] + m*m*w[0]
		fourth := p[4] - 4*m*p[3] + 6*m*m*p[2] - 3*n*m*m*m*m
		se = math.Sqrt(max(0, v.fourth-2*share*crossed+share*share*fourth)/scaled) / (v.targets.spread / n)
		interval := Positive(share, se, n, Level)
		r.give("r2", se, Interval{1 - interval.High, 1 - interval.Low})
	}
	return r
}

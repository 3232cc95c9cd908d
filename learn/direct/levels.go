package direct

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/learn"
)

const (
	levelPenalty = 1    // κ of package centres
	shrinkage    = 10   // samples of the mean that a level's statistic begins with
	minSlope     = 0.25 // of a statistic that says nothing of held-out samples: an effect may show in company only
	statFolds    = 5
)

// levelsOf are the problem's coded features; nil for none.
func levelsOf(p *learn.Problem) *centres.Levels {
	if len(p.Coded) == 0 {
		return nil
	}
	l := &centres.Levels{Penalty: levelPenalty}
	for _, c := range p.Coded {
		l.Features = append(l.Features, c.Feature)
		l.Counts = append(l.Counts, c.Levels)
	}
	return l
}

// startLevels gives a problem the values that its levels begin with: those of the last model, or statistics of the
// targets.
func startLevels(q *centres.Problem, coded []learn.Coded, last *centres.Model, seed uint64) {
	if q.Levels == nil {
		return
	}
	l := *q.Levels
	q.Levels = &l
	if last != nil {
		l.Start = last.Values
		return
	}
	fold := make([]int, q.N)
	for place, i := range rand.New(rand.NewPCG(seed, 1)).Perm(q.N) {
		fold[i] = place % statFolds
	}
	l.Start = make([]float64, 0, l.Size())
	for _, c := range coded {
		s := &statistic{q: q, coded: c, fold: fold}
		l.Start = append(l.Start, s.values()...)
	}
}

// statistic is how the targets depend on the levels of a feature, for the values that a training begins with (Micci-
// Barreca, "A preprocessing scheme for high-cardinality categorical attributes", SIGKDD Explorations 3, 2001): the
// mean of the targets over a level's samples, drawn toward that of all samples as if there were some more of these.
// Several outputs are projected to the direction in which the means differ most.
type statistic struct {
	q     *centres.Problem
	coded learn.Coded
	fold  []int
}

// level is a sample's; −1 for none.
func (s *statistic) level(i int) int {
	if x := math.Round(s.q.X[i*s.q.D+s.coded.Feature]); x >= 1 && x <= float64(s.coded.Levels) {
		return int(x) - 1
	}
	return -1
}

// means are the shrunk means of the centred targets of each level, levels×outputs, without a fold; −1 for no fold.
func (s *statistic) means(without int) (means, weight []float64) {
	q, out := s.q, s.q.Outputs
	means, weight = make([]float64, s.coded.Levels*out), make([]float64, s.coded.Levels)
	sum, total := make([]float64, out), 0.0
	for i := range q.N {
		if s.fold[i] == without {
			continue
		}
		total += q.Weight[i]
		for o := range out {
			sum[o] += q.Weight[i] * q.Target[o*q.N+i]
		}
	}
	for i := range q.N {
		l := s.level(i)
		if s.fold[i] == without || l < 0 {
			continue
		}
		weight[l] += q.Weight[i]
		for o := range out {
			means[l*out+o] += q.Weight[i] * (q.Target[o*q.N+i] - sum[o]/total)
		}
	}
	for l, w := range weight {
		for o := range out {
			means[l*out+o] /= w + shrinkage*total/float64(q.N)
		}
	}
	return means, weight
}

// values are the values of the levels, of mean 0 and a variance of 1 at most over the samples. A statistic that
// predicts held-out samples worse has less: the slope of their targets over it.
func (s *statistic) values() []float64 {
	means, weight := s.means(-1)
	along := leading(means, weight, s.q.Outputs, s.coded.Part)
	if along == nil {
		return standard(curved(means, weight, s.q.Outputs), weight, 1)
	}
	return standard(project(means, along, s.coded.Levels), weight, s.slope())
}

// slope regresses held-out targets on the statistics without their fold, and takes a standard error off the slope.
func (s *statistic) slope() float64 {
	var cov, square, noise float64
	q := s.q
	for f := range statFolds {
		means, weight := s.means(f)
		along := leading(means, weight, q.Outputs, s.coded.Part)
		v := project(means, along, s.coded.Levels)
		var total, sum, ySum, products, squares float64
		for i := range q.N {
			l := s.level(i)
			if s.fold[i] != f || l < 0 {
				continue
			}
			var y float64
			for o, a := range along {
				y += a * q.Target[o*q.N+i]
			}
			w := q.Weight[i]
			total, sum, ySum = total+w, sum+w*v[l], ySum+w*y
			products, squares = products+w*v[l]*y, squares+w*v[l]*v[l]
			noise += w * w * v[l] * v[l] * y * y
		}
		if total > 0 {
			cov += products - sum*ySum/total
			square += squares - sum*sum/total
		}
	}
	if !(square > 0) {
		return minSlope
	}
	return math.Max(minSlope, math.Min(1, (cov-math.Sqrt(noise))/square))
}

// leading is a principal direction of the means over the outputs, by power iterations; nil if nothing is left for it.
func leading(means, weight []float64, outputs, part int) (u []float64) {
	rest := slices.Clone(means)
	for p := 0; p <= part; p++ {
		for l, f := range project(rest, u, len(weight)) { // without the directions before
			for o, a := range u {
				rest[l*outputs+o] -= f * a
			}
		}
		if u = make([]float64, outputs); p > 0 && outputs == 1 {
			return nil
		}
		for o := range u {
			u[o] = 1 / float64(1+o)
		}
		for range 50 {
			next := make([]float64, outputs)
			for l, f := range project(rest, u, len(weight)) {
				for o := range next {
					next[o] += weight[l] * f * rest[l*outputs+o]
				}
			}
			var norm float64
			for _, a := range next {
				norm += a * a
			}
			if !(norm > 0) {
				return nil
			}
			for o := range u {
				u[o] = next[o] / math.Sqrt(norm)
			}
		}
	}
	return u
}

// project is the means along a direction.
func project(means, along []float64, levels int) []float64 {
	v := make([]float64, levels)
	for l := range v {
		for o, a := range along {
			v[l] += a * means[l*len(along)+o]
		}
	}
	return v
}

// curved is a second set of values where the targets have one direction: the squares of the first, without what is
// linear in it.
func curved(means, weight []float64, outputs int) []float64 {
	first, v := make([]float64, len(weight)), make([]float64, len(weight))
	for l := range v {
		for _, m := range means[l*outputs : (l+1)*outputs] {
			first[l] += m
			v[l] += m * m
		}
	}
	first, v = standard(first, weight, 1), standard(v, weight, 1)
	var total, along float64
	for l, w := range weight {
		total, along = total+w, along+w*first[l]*v[l]
	}
	for l := range v {
		v[l] -= along / total * first[l]
	}
	return v
}

// standard shifts and scales values to a mean of 0 and a standard deviation over the samples. Values that are all
// equal become a ramp.
func standard(v, weight []float64, deviation float64) []float64 {
	var total, mean, square float64
	for l, w := range weight {
		total, mean = total+w, mean+w*v[l]
	}
	for l, w := range weight {
		square += w * (v[l] - mean/total) * (v[l] - mean/total)
	}
	if !(square > 1e-20*total) {
		for l := range v {
			v[l] = float64(2*l+1)/float64(len(v)) - 1
		}
		return v
	}
	for l, w := range weight {
		if v[l] = (v[l] - mean/total) * deviation / math.Sqrt(square/total); w == 0 {
			v[l] = 0
		}
	}
	return v
}

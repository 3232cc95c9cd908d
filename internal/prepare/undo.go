package prepare

import (
	"math"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// D is the number of features of the samples.
func (p *Prepared) D() int {
	if p.Sparse != nil {
		return p.Sparse.D
	}
	return p.Set.D
}

// WithCandidates returns the problem with the external candidates appended, or the problem itself if there are none.
func (p *Prepared) WithCandidates(q *learn.Problem) *learn.Problem {
	if c := p.Candidates; c != nil {
		return q.WithCandidates(c.X, c.Y, c.N)
	}
	return q
}

// Undo gives an expansion the units of the caller's targets and, for a density, of the caller's features.
func (p *Prepared) Undo(e *learn.Expansion) {
	if t := p.Target; t != nil {
		*e = e.Times(t.Spread)
		e.Bias = math.FMA(e.Bias, t.Spread, t.Center)
	}
	if p.Problem.Task == learn.Density && p.Scaling != nil {
		*e = e.Times(math.Exp(-logVolume(p.Scaling)))
	}
}

// Vectors returns the sparse rows whose numbers the vectors are.
func (p *Prepared) Vectors(numbers []float64) *csr.Matrix {
	rows := make([]int, len(numbers))
	for i, v := range numbers {
		rows[i] = int(v)
	}
	return p.Sparse.Subset(rows)
}

// logVolume is the logarithm of the raw volume that a scaled volume of 1 is. Constant features have none.
func logVolume(scaling *dataset.Scaling) (log float64) {
	for _, w := range scaling.Spread {
		switch {
		case w > 0 && scaling.Kind == dataset.ScaleMinMax:
			log += math.Log(w / (scaling.Hi - scaling.Lo))
		case w > 0:
			log += math.Log(w)
		}
	}
	return log
}

// Decode puts the values of categories in place of their numbers, in the samples of the problem and what comes with
// them. The problem is one of plain features then.
func (p *Prepared) Decode(values []float64) {
	q := &p.Problem
	decode(q, values, q.X, q.N)
	if v := q.Validation; v != nil {
		decode(q, values, v.X, v.N)
	}
	if c := p.Candidates; c != nil {
		decode(q, values, c.X, c.N)
	}
	q.Coded = nil
}

func decode(q *learn.Problem, values, x []float64, n int) {
	for _, c := range q.Coded {
		for i := range n {
			feature := &x[i*q.D+c.Feature]
			if level := math.Round(*feature); level >= 1 && level <= float64(c.Levels) {
				*feature = values[int(level)-1]
			} else {
				*feature = 0
			}
		}
		values = values[c.Levels:]
	}
}

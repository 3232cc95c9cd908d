package qp

import (
	"context"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/simplex"
)

// Model is a quadratic program with names: that of simplex, with Q. If it maximises, C, Offset and Q have their signs
// changed.
type Model struct {
	simplex.Model
	Q simplex.Columns // n×n; nil if the objective is linear
}

// Read reads a model in MPS format with a section QUADOBJ, QSECTION or QMATRIX, or in LP format with [ terms ] / 2 in
// the objective, as simplex.ReadQuadraticWithin does: it may take maxBytes, with the matrices of a [Solver].
func Read(r io.Reader, maxBytes int64) (*Model, error) {
	m, q, err := simplex.ReadQuadraticWithin(r, maxBytes)
	if err != nil {
		return nil, err
	}
	if rows, n := m.A.Dims(); memory(rows, n) > float64(maxBytes) {
		return nil, invalid("%d variables and %d rows take more than %d bytes of memory", n, rows, maxBytes)
	}
	model := &Model{Model: *m}
	if q != nil {
		model.Q = q
	}
	return model, nil
}

// memory is that of a solver: Q, L⁻¹, J, half of R, and A; J and R again in doubled precision, where that decides.
func memory(m, n int) float64 { return 8 * (7.5*float64(n) + float64(m) + 20) * float64(n) }

// WriteMPS writes m in free MPS format as simplex.Model does, with Q in a section QUADOBJ. [Read] gives m back.
func (m *Model) WriteMPS(w io.Writer) error {
	p := m.QP()
	if err := p.Validate(); err != nil {
		return err
	}
	return m.WriteQuadraticMPS(w, m.Q)
}

// QP is the program without the names.
func (m *Model) QP() QP { return QP{LP: m.LP, Q: m.Q} }

// Solution is the result of a [Model] by its names and in its own sense: a simplex.Solution, in which reduced costs are
// the duals of bounds, with the Result that has the certificate.
type Solution struct {
	*simplex.Solution
	Result *Result
}

// Solve solves the model once. For changes and further solves use [New] with the model's QP.
func (m *Model) Solve(ctx context.Context, opt Options) (*Solution, error) {
	r, err := Solve(ctx, m.QP(), opt)
	if err != nil {
		return nil, err
	}
	return &Solution{m.Solution(r.Linear()), r}, nil
}

// Linear returns what r has in common with a result of package simplex; reduced costs are the duals of the bounds.
func (r *Result) Linear() *simplex.Result {
	c := simplex.Certificate{PrimalResidual: r.PrimalResidual, DualResidual: r.DualResidual, Gap: r.Gap, Farkas: r.Farkas,
		Ray: r.Ray}
	return &simplex.Result{Status: r.Status, Objective: r.Objective, X: r.X, Activity: r.Activity, Y: r.Y,
		ReducedCosts: r.BoundDuals, Iterations: r.Iterations, Certificate: c}
}

// Problem builds a quadratic program by names, as simplex.Problem does a linear one: first its columns, then its rows
// and quadratic terms. [Problem.Model] returns the first mistake made on the way.
type Problem struct {
	simplex.Problem
	terms []term
}

// term is factor·a·b of the objective.
type term struct {
	a, b   string
	factor float64
}

// Term adds factor·a·b to the objective, where a and b are columns, or one column twice.
func (p *Problem) Term(factor float64, a, b string) { p.terms = append(p.terms, term{a, b, factor}) }

// Model returns the program with its names, or the first mistake ([ErrInvalid]). The problem can grow afterwards
// without changing the model.
func (p *Problem) Model() (*Model, error) {
	m, err := p.Problem.Model()
	if err != nil {
		return nil, err
	}
	number := map[string]int{}
	for j, name := range m.ColNames {
		number[name] = j
	}
	sign := 1.0
	if m.Maximize {
		sign = -1
	}
	columns := make([]map[int]float64, len(m.ColNames))
	add := func(i, j int, v float64) {
		if columns[j] == nil {
			columns[j] = map[int]float64{}
		}
		columns[j][i] += sign * v
	}
	for _, t := range p.terms {
		i, known := number[t.a]
		j, alsoKnown := number[t.b]
		switch {
		case !known:
			return nil, invalid("quadratic term: there is no column %q", t.a)
		case !alsoKnown:
			return nil, invalid("quadratic term: there is no column %q", t.b)
		case math.IsNaN(t.factor) || math.IsInf(t.factor, 0):
			return nil, invalid("quadratic term of %q and %q: the factor is %v", t.a, t.b, t.factor)
		}
		add(i, j, t.factor)
		add(j, i, t.factor)
	}
	q := &simplex.Sparse{Rows: len(columns)}
	for _, column := range columns {
		var index []int32
		var value []float64
		for _, i := range slices.Sorted(maps.Keys(column)) {
			index = append(index, int32(i))
			value = append(value, column[i])
		}
		q.Append(index, value)
	}
	return &Model{Model: *m, Q: q}, nil
}

// Package check judges trained models by the definitions of their methods, in plain loops over the kernel's own
// formula. It shares nothing with the solvers: it knows a method by its name, its parameters and what the papers say
// that it minimises, and one without a definition by its report. It also makes small problems for them that no grid
// would try and users have nevertheless: random, wild and nasty ones, each from a seed.
package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Judge has one problem's kernel matrix. It is safe for concurrent use.
type Judge struct {
	p    *learn.Problem
	k    []float64 // N×N kernel values
	rows []int     // of positive weight
}

// New evaluates the kernel at every pair of samples of p.
func New(p *learn.Problem) *Judge {
	j := &Judge{p: p, k: make([]float64, p.N*p.N), rows: p.Present()}
	for i := range p.N {
		x := p.X[i*p.D : (i+1)*p.D]
		for s := range i + 1 {
			v := p.Kernel.Eval(x, p.X[s*p.D:(s+1)*p.D])
			j.k[i*p.N+s], j.k[s*p.N+i] = v, v
		}
	}
	return j
}

// With is the judge of the same samples under other labels, none of weight 0.
func (j *Judge) With(y []float64) *Judge {
	p := *j.p
	p.Y = y
	return &Judge{p: &p, k: j.k, rows: j.rows}
}

// Of is the judge of the same samples for another task, with its targets.
func (j *Judge) Of(task learn.Task, y []float64) *Judge {
	p := *j.p
	if p.Task, p.Y = task, y; task.Blind() {
		p.Y = nil
	}
	return &Judge{p: &p, k: j.k, rows: j.rows}
}

// decoded is the judge of the samples with values in place of the numbers of levels. Vectors must be no samples.
func (j *Judge) decoded(values []float64) *Judge {
	p := *j.p
	p.X = slices.Clone(j.p.X)
	for _, c := range p.Coded {
		for i := range p.N {
			x := &p.X[i*p.D+c.Feature]
			level := int(*x)
			if *x = 0; level > 0 && level <= c.Levels {
				*x = values[level-1]
			}
		}
		values = values[c.Levels:]
	}
	return &Judge{p: &p, k: j.k, rows: j.rows}
}

// Verdict is what a model is, by the definitions. A figure that its method does not have is NaN.
type Verdict struct {
	F         []float64 // decision at every sample
	Rounding  []float64 // what rounding may have done to it
	Objective float64   // what the method minimises
	Slack     float64   // what rounding may have done to it
	Idle      float64   // what f = 0 costs, where the model pays for hinge losses
	Constant  float64   // what the method adds to it: C ln(4/δ) of skm
	Dual      float64   // the dual's value; of a linear program it is the report's
	Gap       float64   // (Objective − Dual) / |Objective|
	Better    float64   // the least objective of other models that have been looked at; no dual's value is above it
	Violation float64   // of the conditions that the coefficients show, in units of f
	Residual  float64   // ‖right − M z‖/‖right‖ of the equations of a least-squares model
	Blur      float64   // what rounding may have done to that
	Gradient  float64   // what is left of the conditions of a stationary point, of a method that looks for one
	Wrong     int       // samples of positive weight on the wrong side
	Faults    []string  // what no model may be: numbers that are not finite, vectors that are no samples
	Outside   []string  // constraints that it does not meet: its box, its equality
}

func (v *Verdict) fault(format string, args ...any) {
	v.Faults = append(v.Faults, fmt.Sprintf(format, args...))
}

func (v *Verdict) outside(format string, args ...any) {
	v.Outside = append(v.Outside, fmt.Sprintf(format, args...))
}

// Model judges what t made of the problem.
func (j *Judge) Machine(t learn.Trainer, r *learn.Result) *Verdict {
	nan := math.NaN()
	v := &Verdict{Objective: nan, Dual: nan, Gap: nan, Better: nan, Violation: nan, Residual: nan, Gradient: nan}
	j.expansion(v, &r.Expansion)
	if len(v.Faults) > 0 {
		return v
	}
	if r.Values != nil {
		j = j.decoded(r.Values)
	}
	j.decide(v, &r.Expansion, j.columns(r))
	m := machine{Judge: j, Verdict: v, result: r, e: &r.Expansion, report: &r.Report, trainer: t,
		params: learn.ValuesOf(t).Numbers()}
	m.judge()
	return v
}

// definitions hold a model to the problem of its method.
var definitions = map[string]func(*machine){
	"svc":              func(m *machine) { m.svc(m.params["c"]) },
	"svr":              func(m *machine) { m.svr(m.params["epsilon"]) },
	"nu-svc":           (*machine).share,
	"nu-svr":           (*machine).share,
	"one-class":        (*machine).oneClass,
	"ssvc-a":           func(m *machine) { m.norm(m.params["norm"]) },
	"ssvc-b":           func(m *machine) { m.sparse(float64(m.nonzeros()), m.reweighted(math.Abs)) },
	"ssvc-w":           func(m *machine) { m.sparse(float64(m.nonzeros()), m.reweighted(math.Abs)) },
	"ssvr-a":           func(m *machine) { m.tube(float64(m.nonzeros())/2, m.reweighted(half)) },
	"ssvr-b":           func(m *machine) { m.tube(float64(m.nonzeros()), m.reweighted(math.Abs)) },
	"sparse-one-class": (*machine).cover,
	"l1svr":            func(m *machine) { m.tube(m.sum(math.Abs), m.absolute(0)) },
	"lpsvc":            func(m *machine) { m.sparse(m.sum(math.Abs), m.absolute(0)) },
	"l1svm": func(m *machine) {
		m.oneSided(m.params["c"])
		m.sparse(m.sum(math.Abs), m.absolute(m.params["c"]))
	},
	"l0svm": func(m *machine) {
		m.oneSided(math.Inf(1))
		m.sparse(m.linearised())
	},
	"skm":           (*machine).skm,
	"sparsest":      (*machine).sparsest,
	"lssvm":         func(m *machine) { m.dualLS(m.params["gamma_reg"], m.whole(m.params["gamma_reg"])) },
	"lssvm-prune":   func(m *machine) { m.dualLS(m.params["gamma_reg"], m.kept(m.params["gamma_reg"])) },
	"lssvm-primal":  func(m *machine) { m.primalLS(0, 1/m.params["c"], true) },
	"lssvm-chol":    func(m *machine) { m.primalLS(0, 1/m.params["c"], true) },
	"lssvm-lda":     func(m *machine) { m.primalLS(0, 1/m.params["c"], true) },
	"kmp":           func(m *machine) { m.primalLS(0, 0, true) },
	"sggp":          func(m *machine) { m.primalLS(m.params["noise"], 0, false) },
	"pfsals":        func(m *machine) { m.primalLS(1/m.params["c"], 0, true) },
	"direct":        func(m *machine) { m.moved(m.result) },
	"ssvc-features": func(m *machine) { m.features(m.result, half, math.Hypot) },
	"ssvc-features-b": func(m *machine) {
		m.features(m.result, math.Abs, func(a, b float64) float64 { return math.Abs(a) + math.Abs(b) })
	},
	"rvm":      (*machine).relevance,
	"rvm-fast": (*machine).relevance,
	"skde":     (*machine).density,
	"spc":      (*machine).probit,
	"sc-svc":   (*machine).controlled,
}

// judge holds the model to the definition of its method, or else to what its report says.
func (m *machine) judge() {
	name := m.trainer.Name()
	dual, residual := m.report.Duality, m.report.Residual
	switch define := definitions[name]; {
	case define != nil:
		define(m)
	case dual != nil:
		m.weighed(m.report.Objective, dual.Objective, 0)
		m.Violation = dual.KKT
	case residual != nil:
		m.Objective, m.Residual = m.report.Objective, *residual
	case m.report.Status == status.Optimal:
		m.fault("%s says that it is optimal, without Duality or Residual: "+
			"internal/testing/check/check.go, definitions, needs what it minimises", name)
	}
}

// half is the cost of a coefficient in the quadratic programs of Huang et al. (2010), in units of the model's own.
func half(a float64) float64 { return a * a / 2 }

// model is one that is being judged.
type machine struct {
	*Judge
	*Verdict
	result  *learn.Result
	e       *learn.Expansion
	report  *learn.Report
	trainer learn.Trainer
	params  map[string]float64
}

// expansion looks at the numbers and rows alone.
func (j *Judge) expansion(v *Verdict, e *learn.Expansion) {
	if n := len(e.Support) + len(e.Vectors)/max(1, j.p.D); n != len(e.Coef) {
		v.fault("%d vectors with %d coefficients", n, len(e.Coef))
		return
	}
	if e.Bias-e.Bias != 0 {
		v.fault("bias %v", e.Bias)
	}
	if !e.Finite() {
		v.fault("a number of the plane or the steps is not finite")
	}
	for _, x := range slices.Concat(e.Vectors, e.Coef) {
		if x-x != 0 {
			v.fault("vector or coefficient %v", x)
		}
	}
	for s, i := range e.Support {
		switch {
		case i < 0 || i >= j.p.N:
			v.fault("vector %d of %d samples", i, j.p.N)
		case j.p.WeightOf(i) == 0:
			v.fault("vector %d has weight 0", i)
		case slices.Contains(e.Support[:s], i):
			v.fault("vector %d twice", i)
		}
	}
}

// roundings is what a sum of n products of kernel values may be off, in units of the products:
// one rounding a term, one a feature, and a few for exp and powers.
func (j *Judge) roundings(n int) float64 { return float64(n+2*j.p.D+16) * 0x1p-53 }

// scale is √(k_ii k_ss), which |k_is| does not exceed where the kernel is definite, and |k_is| elsewhere:
// the terms that a kernel value is the sum of are of that size.
func (j *Judge) scale(i, s int) float64 {
	n := j.p.N
	return max(math.Abs(j.k[i*n+s]), math.Sqrt(math.Abs(j.k[i*n+i]))*math.Sqrt(math.Abs(j.k[s*n+s])))
}

// column has the kernel values of a vector and every sample, and their scales.
type column struct{ k, scale []float64 }

// columns are those of the model's vectors, samples of the problem or not.
func (j *Judge) columns(r *learn.Result) []column {
	cols := make([]column, len(r.Coef))
	n, d := j.p.N, j.p.D
	for s := range cols {
		c := column{make([]float64, n), make([]float64, n)}
		for i := range n {
			if r.Vectors == nil {
				pos := r.Support[s]
				c.k[i], c.scale[i] = j.k[i*n+pos], j.scale(i, pos)
				continue
			}
			k := r.KernelOf(j.p)
			x, z := j.p.X[i*d:(i+1)*d], r.Vectors[s*d:(s+1)*d]
			c.k[i], c.scale[i] = k.Eval(x, z), math.Sqrt(math.Abs(k.Eval(x, x)))*math.Sqrt(math.Abs(k.Eval(z, z)))
			if k.Additive() { // whose squares may be beyond float64
				c.scale[i] = 0
				for f, v := range x {
					c.scale[i] += math.Abs(v * z[f])
				}
			}
		}
		cols[s] = c
	}
	return cols
}

// decide evaluates f(x_i) = Σ a_s k_is + b, and the rounding errors of Σ |a_s| √(k_ii k_ss) + |b|.
func (j *Judge) decide(v *Verdict, e *learn.Expansion, cols []column) {
	n := j.p.N
	unit := j.roundings(len(cols))
	v.F, v.Rounding = make([]float64, n), make([]float64, n)
	for i := range n {
		f, size := 0.0, math.Abs(e.Bias)
		for s, c := range cols {
			f += e.Coef[s] * c.k[i]
			size += math.Abs(e.Coef[s]) * c.scale[i]
		}
		if !e.Simple() {
			x := j.p.X[i*j.p.D : (i+1)*j.p.D]
			f += e.Extra(x)
			size += sizeOf(e, x)
		}
		v.F[i], v.Rounding[i] = f+e.Bias, unit*size
		if v.F[i]-v.F[i] != 0 {
			v.fault("decision %v at sample %d", v.F[i], i)
		}
		if j.p.Task == learn.Classify && j.p.WeightOf(i) > 0 && !(j.p.Y[i]*v.F[i] > 0) {
			v.Wrong++
		}
	}
}

// sizeOf is the size of the terms of the plane and of the steps, whose arguments have roundings of their own.
func sizeOf(e *learn.Expansion, x []float64) (size float64) {
	for k, w := range e.Plane {
		size += math.Abs(w * x[k])
	}
	for _, s := range e.Steps {
		value := 1 + math.Abs(s.Move)
		for k, u := range s.Turn {
			value += math.Abs(u * x[k])
		}
		size += math.Abs(s.Coef) * value
	}
	return size
}

// short is by how much a value f misses what sample i asks for, negative where it does not.
type short func(i int, f float64) float64

func (m *machine) margin(size float64) short {
	return func(i int, f float64) float64 { return size - m.p.Y[i]*f }
}

// hinge is Σ c w_i max(0, margin − y_i f_i), and what rounding may have done to it.
func (m *machine) hinge(margin, c float64) (loss, rounding float64) {
	return m.paid(m.margin(margin), c)
}

// paid is Σ c w_i max(0, short), and what rounding may have done to it.
func (m *machine) paid(by short, c float64) (loss, rounding float64) {
	for _, i := range m.rows {
		cost := c * m.p.WeightOf(i)
		m.Idle += cost * max(0, by(i, 0))
		if xi := by(i, m.F[i]); xi > -m.Rounding[i] {
			loss += cost * max(0, xi)
			rounding += cost * m.Rounding[i]
		}
	}
	return loss, rounding
}

func (m *machine) sum(valueOf func(float64) float64) (s float64) {
	for _, a := range m.e.Coef {
		s += valueOf(a)
	}
	return s
}

// nonzeros counts the coefficients, the bias among them.
func (m *machine) nonzeros() int {
	if m.e.Bias != 0 {
		return len(m.e.Coef) + 1
	}
	return len(m.e.Coef)
}

// weighed sets the objective, with its gap to the given dual objective.
func (m *machine) weighed(objective, dual, rounding float64) {
	m.Objective, m.Dual, m.Slack = objective, dual, rounding
	if m.Gap = 0; objective != dual {
		m.Gap = (objective - dual) / math.Abs(objective)
	}
}

// oneSided asks for 0 ≤ y a ≤ most.
func (m *machine) oneSided(largest float64) {
	for s, i := range m.e.Support {
		if a := m.p.Y[i] * m.e.Coef[s]; !(a >= 0 && a <= largest*(1+1e-9)) {
			m.outside("coefficient %v of sample %d is outside [0, %v]", a, i, largest)
		}
	}
}

package centres

import (
	"math"
	"slices"
	"sync"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// sharpness is the steepness of a new step, per standard deviation of its feature.
const sharpness = 8

// Order is the order of samples by each feature, found when it is first asked for.
type Order struct {
	once   sync.Once
	sorted []int32 // d×n
}

// OrderBytes is the memory of an [Order].
func OrderBytes(n, d int) int64 { return 4 * int64(n) * int64(d) }

// orderOf is the samples in the order of each feature, d×n.
func (f *Fitter) orderOf(p *Problem) []int32 {
	if p != f.p { // values of levels have another order for every model
		return sorted(p)
	}
	f.order.once.Do(func() { f.order.sorted = sorted(p) })
	return f.order.sorted
}

func sorted(p *Problem) []int32 {
	n, d := p.N, p.D
	all := make([]int32, n*d)
	parallel.For(parallel.Workers(p.Threads), d, func(_, k int) {
		values := make([]float64, n)
		for i := range values {
			values[i] = p.X[i*d+k]
		}
		for at, i := range deal.Ascending(values) {
			all[k*n+at] = int32(i)
		}
	})
	return all
}

// split is a threshold of a feature and how well it separates the slopes.
type split struct {
	feature int
	value   float64
	gain    float64
}

// stump is the split that separates the slopes r (Outputs×N) best: of the decrease of the loss along the indicator of
// one side, with the bias free. ok is false if no feature has two values.
func (f *Fitter) stump(p *Problem, r []float64) (best split, ok bool) {
	n, d := p.N, p.D
	order := f.orderOf(p)
	found := make([]split, d)
	parallel.For(parallel.Workers(p.Threads), d, func(_, k int) {
		sum := make([]float64, p.Outputs)
		for place, i := range order[k*n : (k+1)*n-1] {
			for o := range sum {
				sum[o] += r[o*n+int(i)]
			}
			x, next := p.X[int(i)*d+k], p.X[int(order[k*n+place+1])*d+k]
			if x == next {
				continue
			}
			var gain float64
			for _, s := range sum {
				gain += s * s
			}
			gain *= float64(n) / (float64(place+1) * float64(n-place-1))
			if gain > found[k].gain {
				found[k] = split{k, x + (next-x)/2, gain}
			}
		}
	})
	for _, s := range found {
		if s.gain > best.gain {
			best, ok = s, true
		}
	}
	return best, ok
}

// addSteps adds up to count steps, each where the slopes of the loss change sign most, and solves for the coefficients
// after each by solve. The error is that of solve.
func (f *Fitter) addSteps(m *Model, count int, solve func(m *Model) error) error {
	p := f.p.At(m)
	spread := make([]float64, p.D)
	mean := means(p)
	for i := range p.N {
		for k, v := range p.X[i*p.D : (i+1)*p.D] {
			spread[k] += (v - mean[k]) * (v - mean[k]) / float64(p.N)
		}
	}
	for range count {
		r := make([]float64, 0, p.N*p.Outputs)
		for o := range p.Outputs {
			r = append(r, p.Slopes(m.Decisions(p, o), o)...)
		}
		s, ok := f.stump(p, r)
		if !ok {
			return nil
		}
		steepness := sharpness / math.Sqrt(spread[s.feature])
		for m.hasStep(s, steepness) { // two that begin alike stay alike, and are one
			steepness /= 2
		}
		m.addStep(p, s, steepness)
		if err := solve(m); err != nil {
			return err
		}
	}
	return nil
}

// hasStep reports whether a step begins as another one.
func (m *Model) hasStep(s split, steepness float64) bool {
	for first := 0; first < len(m.Steps); first += len(m.Steps) / m.S {
		u := m.Steps[first : first+len(m.Steps)/m.S]
		if u[s.feature] == steepness && u[len(u)-1] == -steepness*s.value {
			return true
		}
	}
	return false
}

// addStep adds a step with coefficients 0.
func (m *Model) addStep(p *Problem, s split, steepness float64) {
	u := make([]float64, p.D+1)
	u[s.feature], u[p.D] = steepness, -steepness*s.value
	m.Steps = append(m.Steps, u...)
	m.S++
	for o := range p.Outputs {
		m.Coef = slices.Insert(m.Coef, (o+1)*m.Units()-1, 0)
	}
}

// extend takes the kernel, the coefficients, the steps and the plane of a model whose vectors are the first of m's.
func (m *Model) extend(last *Model) {
	m.Kernel, m.S, m.Steps = last.Kernel, last.S, slices.Clone(last.Steps)
	copy(m.Plane, last.Plane)
	m.Values = slices.Clone(last.Values)
	m.Coef = make([]float64, len(m.Bias)*m.Units())
	for o, b := range last.Bias {
		m.Bias[o] = b
		from := last.Coef[o*last.Units() : (o+1)*last.Units()]
		copy(m.Coef[o*m.Units():], from[:last.K])
		copy(m.Coef[o*m.Units()+m.K:], from[last.K:])
	}
}

package centres

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

const lloydSteps = 10

// Start says where a search begins: at the units of Last, and at new ones.
type Start struct {
	Last           *Model // nil for none
	Vectors, Steps int    // new ones
	// New vectors are shared among classes in proportion to the chances of their samples, and come from these by
	// k-means++ and Lloyd's steps, with their chances as weights.
	Class   []int // of each sample
	Classes int
	Chance  []float64 // of each sample
	Rand    *rand.Rand
	Solve   func(*Model) error // makes coefficients optimal, after the vectors and after each step
}

// Begin makes the model that a search begins with. There are fewer vectors if there are fewer distinct samples. An
// error comes from Solve.
func (f *Fitter) Begin(ctx context.Context, s Start) (*Model, error) {
	var vectors []float64
	if s.Last != nil {
		vectors = slices.Clone(s.Last.Vectors)
	}
	sizes := make([]float64, s.Classes)
	for i, c := range s.Chance {
		sizes[s.Class[i]] += c
	}
	for class, count := range shares(s.Vectors, sizes) {
		vectors = append(vectors, f.centres(ctx, count, func(i int) float64 {
			if s.Class[i] == class {
				return s.Chance[i]
			}
			return 0
		}, s.Rand)...)
	}
	m := f.p.NewModel(vectors)
	if s.Last != nil {
		m.extend(s.Last)
	}
	if err := s.Solve(m); err != nil {
		return nil, err
	}
	return m, f.addSteps(m, s.Steps, s.Solve)
}

// shares splits k in proportion to the sizes, by largest remainders. Every positive size gets at least one if k is
// large enough.
func shares(k int, sizes []float64) []int {
	var total float64
	var positive []int // indices of the positive sizes
	for i, s := range sizes {
		if total += s; s > 0 {
			positive = append(positive, i)
		}
	}
	count, left := make([]int, len(sizes)), k
	for _, i := range positive {
		if count[i] = int(float64(k) * sizes[i] / total); k >= len(positive) {
			count[i] = max(1, count[i])
		}
		left -= count[i]
	}
	lack := func(i int) float64 { return float64(k)*sizes[i]/total - float64(count[i]) }
	for step := 1; left != 0 && len(positive) > 0; left -= step {
		if step = 1; left < 0 {
			step = -1
		}
		count[slices.MaxFunc(positive, func(a, b int) int {
			return cmp.Compare(float64(step)*lack(a), float64(step)*lack(b))
		})] += step
	}
	return count
}

// centres returns up to k vectors (row-major) by k-means++ (Arthur and Vassilvitskii 2007) and a few of Lloyd's steps.
// member(i) is the weight of sample i. There are fewer if there are fewer distinct samples.
func (f *Fitter) centres(ctx context.Context, k int, member func(i int) float64, rng *rand.Rand) []float64 {
	s := f.s
	m := &kMeans{store: s, threads: workers(f.p.Threads, s.n*s.d), weight: make([]float64, s.blocks()*s.block),
		near: make([]float64, s.blocks()*s.block), query: make([]float64, s.d+1),
		nearest: make([]int32, s.blocks()*s.block)}
	m.far = make([]float64, m.threads*s.block)
	for i := range s.n {
		m.weight[i] = member(i)
	}
	m.seeds(ctx, k, rng)
	for range lloydSteps {
		if len(m.c) == 0 || ctx.Err() != nil || !m.lloyd(ctx) {
			break
		}
	}
	s.outward(m.c, m.c)
	return m.c
}

// kMeans is the state of a k-means.
type kMeans struct {
	*store
	threads int
	weight  []float64
	near    []float64 // −‖z_i − c‖² to the nearest centre
	nearest []int32   // index of the nearest centre
	far     []float64 // −‖z_i − c‖² of a block to one centre, for each thread
	query   []float64
	c       []float64
}

// assign assigns the samples that are nearer to centre j than to the centres before it.
func (m *kMeans) assign(ctx context.Context, j int) {
	c := m.c[j*m.d : (j+1)*m.d]
	var cc float64
	for k, v := range c {
		m.query[k] = 2 * v
		cc += v * v
	}
	m.query[m.d] = -1
	parallel.For(m.threads, m.blocks(), func(w, b int) {
		if ctx.Err() != nil {
			return
		}
		far := m.far[w*m.block : (w+1)*m.block]
		for i := range far {
			far[i] = -cc
		}
		dense.AddRows(far, m.query, m.z[b*m.stride:], m.block)
		near, nearest := m.near[b*m.block:], m.nearest[b*m.block:]
		for i, v := range far {
			if v = min(v, 0); j == 0 || v > near[i] {
				near[i], nearest[i] = v, int32(j)
			}
		}
	})
}

// seeds draws the initial centres. The probability of a sample is proportional to its weight and its squared distance
// from the centres so far.
func (m *kMeans) seeds(ctx context.Context, k int, rng *rand.Rand) {
	for j := range k {
		chance := func(i int) float64 {
			if j == 0 {
				return m.weight[i]
			}
			return -m.weight[i] * m.near[i]
		}
		var total float64
		for i := range m.n {
			total += chance(i)
		}
		// The distance of equal samples may be a few units in the last place instead of 0.
		if ctx.Err() != nil || !(total > 0x1p-40*m.largest*float64(min(j, 1))) {
			return
		}
		left := rng.Float64() * total
		pick := -1
		for i := range m.n {
			if c := chance(i); c > 0 {
				pick = i
				if left -= c; left < 0 {
					break
				}
			}
		}
		for f := range m.d {
			m.c = append(m.c, m.z[pick/m.block*m.stride+f*m.block+pick%m.block])
		}
		m.assign(ctx, j)
	}
}

// lloyd moves every centre to the mean of its samples, and reports whether any moved.
func (m *kMeans) lloyd(ctx context.Context) (moved bool) {
	k := len(m.c) / m.d
	sum, total := make([][]float64, m.d), make([]float64, k)
	for i := range m.n {
		total[m.nearest[i]] += m.weight[i]
	}
	parallel.For(m.threads, m.d, func(_, f int) {
		sums := apart(k)
		sum[f] = sums
		for b := range m.blocks() {
			if ctx.Err() != nil {
				return
			}
			z := m.z[b*m.stride+f*m.block:][:min(m.block, m.n-b*m.block)]
			nearest, weight := m.nearest[b*m.block:][:len(z)], m.weight[b*m.block:][:len(z)]
			for i, v := range z {
				sums[nearest[i]] += weight[i] * v
			}
		}
	})
	if ctx.Err() != nil {
		return false
	}
	for j := range k {
		for f := range m.d {
			if mean := sum[f][j] / total[j]; total[j] > 0 && mean != m.c[j*m.d+f] {
				m.c[j*m.d+f], moved = mean, true
			}
		}
	}
	for j := range k {
		m.assign(ctx, j)
	}
	return moved
}

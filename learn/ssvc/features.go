package ssvc

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// Features is the method "ssvc-features": a linear model of few features, Implementation A of Huang et al. (2010) on
// the features themselves, as section 3.5.2 suggests. With f(x) = wᵀx + b it minimises
//
//	½ Σ_k λ_k w_k² + ½ λ_0 b² + Σ C_i ξ_i   subject to   y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0
//
// again and again with λ_k = 1/w̄_k²: each round lowers Σ_k log|w_k| + log|b| + Σ C_i ξ_i. Features that do not earn
// their place go to 0 and stay there. It begins with features in units of their largest size.
//
// The model has a kernel of its own and does not read the problem's: [gram.Linear] with w as its one vector, or with
// Squares a polynomial of degree 2. A feature that was dropped is 0 in every vector, so that no decision depends on it:
// a [github.com/sparsekm/sparsekm/model.Classifier] knows, and does not ask for it.
type Features struct {
	learn.Named[Features]
	C float64 // cost of a unit of slack; 0 means 1
	// Squares gives every feature its square as a companion, f(x) = Σ_k w_k x_k + u_k x_k² + b. A feature is kept or
	// dropped with its square: λ_k = 1/(w̄_k² + ū_k²), in units of the largest x_k.
	Squares bool
	// Ranked chooses features in another way and does not reweight: one round ranks them, folds say how many to keep, and
	// a round with λ = 1 of these is the model. It keeps what adds little to others, such as one of twenty features
	// that are alike, and still drops what says nothing.
	Ranked    bool
	Tolerance float64 // as of [A]; 0 means 1e-6
	MaxIter   int     // limits the rounds; 0 means 200
}

// FeatureFigures are the figures of ssvc-features in a report.
type FeatureFigures = samples.FeatureFigures

// EstimateMemory implements [learn.Trainer]: the features, with their squares, the free part of a quadratic program of
// so few columns, and vectors.
func (t Features) EstimateMemory(n, d int) int64 {
	const vectors, free = 300, 16 // bytes a row; samples in a working set, a column
	cols := samples.FeatureColumns(d, t.Squares)
	copies := int64(1)
	if t.Ranked {
		copies = 2
	}
	return 8*copies*int64(n)*int64(cols) + vectors*int64(n) + boxqp.Bytes(min(n, free*cols), cols)
}

// Train implements [learn.Trainer]. The report is as for [A.Train], with the features instead of kernel columns;
// its Figures are a [FeatureFigures].
func (t Features) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if t.Ranked && t.MaxIter != 0 {
		return nil, &learn.ParamError{Method: t.Name(), Param: "max_iter", Value: t.MaxIter,
			Want: "none: it limits rounds, of which ranked has one"}
	}
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	s, err := samples.NewFeatures(p, t, t.C, t.Squares)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	train := t.reweighted
	if t.Ranked {
		train = t.ranked
	}
	r, penalty, err := train(ctx, s)
	if err != nil {
		return nil, err
	}
	s.Recompute(ctx, r, penalty)
	relative(ctx, &r.Report)
	if r.Report.Settle(samples.OptimalGap, max(t.Tolerance, 1e-6)); !t.Ranked {
		r.Report.EndAt(status.FixedPoint)
	}
	r.Report.Seconds = learn.Seconds{Solve: time.Since(begin).Seconds()}
	return r, nil
}

// reweighted is the model at the fixed point, with its penalty.
func (t Features) reweighted(ctx context.Context, s *samples.FeatureSpace) (r *learn.Result, size float64, err error) {
	a := A{C: t.C, Tolerance: t.Tolerance, MaxIter: t.MaxIter}
	m := &quadratic{A: a, Merged: s.Merged,
		outer: outer{progress: s.Problem.Progress, noProof: proofMemory(ctx, s.Budget, s.Merged)}}
	if err := m.rounds(ctx, newGrouped(newDiagonal(ctx, s.Values(), s.Merged, 0), s.Groups())); err != nil {
		return nil, 0, err
	}
	r = m.result()
	r.Report.Figures = FeatureFigures{Features: s.Expand(r), Certificate: &m.residual, Live: m.count, Merged: m.Repeats}
	return r, m.size, nil
}

// ranked is the model of the features that a [ranker] chooses, with its penalty.
func (t Features) ranked(ctx context.Context, s *samples.FeatureSpace) (r *learn.Result, penalty float64, err error) {
	k := newRanker(t, s)
	kept, message, err := k.choose(ctx)
	if err != nil {
		return nil, 0, err
	}
	m, err := k.round(ctx, deal.All(len(s.At)), kept, t.C, t.Tolerance)
	if err != nil {
		return nil, 0, err
	}
	r = m.result()
	k.plain(r)
	r.Report.AddMessage(message)
	r.Report.Figures = FeatureFigures{Features: s.Expand(r), Live: m.count, Merged: m.Repeats}
	return r, m.size, nil
}

// ranker chooses features by their ranks, as Guyon et al. (2002) do with their models' weights. A round of (9) with λ =
// 1 ranks them by the sizes of their coefficients. Cross-validation says how many to keep: rounds with the first 1, 2,
// … features are trained without a fold, and their hinge losses on the fold are compared. Each fold has its own ranks.
//
// At a small C all multipliers are at their bounds, and coefficients are differences of the classes' means. Then noise
// in one feature does not hide another. At the C of the training, features count that matter only together with others.
// The losses decide between the two.
type ranker struct {
	*samples.FeatureSpace
	Features
	z          []float64 // values less their mean over their unit, 1 for the bias
	mean, unit []float64 // of a column
}

// newRanker scales the columns to mean 0 and a standard deviation of 1/4 over the weighted samples, so that no feature
// ranks by its unit. Their largest values are then about 1, as in [samples.FeatureSpace.Values].
func newRanker(t Features, s *samples.FeatureSpace) *ranker {
	const deviations = 4
	k := &ranker{FeatureSpace: s, Features: t, z: s.Values()}
	cols := s.Columns()
	k.mean, k.unit = make([]float64, cols), slices.Repeat([]float64{1}, cols)
	for col := range cols - 1 {
		var total, sum, squares float64
		for r, c := range s.Cost {
			total, sum = total+c, sum+c*k.z[r*cols+col]
		}
		k.mean[col] = sum / total
		for r, c := range s.Cost {
			v := k.z[r*cols+col] - k.mean[col]
			squares += c * v * v
		}
		if d := deviations * math.Sqrt(squares/total); d > 0 {
			k.unit[col] = d
		}
		for r := range s.Cost {
			k.z[r*cols+col] = (k.z[r*cols+col] - k.mean[col]) / k.unit[col]
		}
	}
	return k
}

// plain converts coefficients of the ranker's columns to those of [samples.FeatureSpace.Values].
func (k *ranker) plain(r *learn.Result) {
	for s, col := range r.Support {
		r.Coef[s] /= k.unit[col]
		r.Bias -= r.Coef[s] * k.mean[col]
	}
}

const (
	rankFolds = 5
	rankSeed  = 1
	weakRank  = 1.0 / 64 // of C
	roughRank = 1e-2     // tolerance of rounds that only rank or ask
)

// choose returns the chosen features, ascending, and a message if the samples are too few to choose.
func (k *ranker) choose(ctx context.Context) ([]int, string, error) {
	class, rows := make([]int, len(k.Y)), make([]int, len(k.Y))
	var group []int
	for r, y := range k.Y {
		if rows[r] = r; y > 0 {
			class[r] = 1
		}
		if g := k.Problem.Group; g != nil {
			group = append(group, g[k.At[r]])
		}
	}
	fold := deal.Fair(class, 2, group, rankFolds, rand.New(rand.NewPCG(rankSeed, 0)))
	if fold == nil {
		return deal.All(k.Problem.D), "too few samples to choose features by folds: all are kept", nil
	}
	sizes := rankSizes(k.Problem.D)
	loss, costs := make([][]float64, 2), []float64{weakRank * k.C, k.C}
	for way := range costs {
		loss[way] = make([]float64, len(sizes))
		for one := range slices.Max(fold) + 1 {
			in, out := deal.Parts(fold, one)
			order, err := k.rank(ctx, in, costs[way])
			if err != nil {
				return nil, "", err
			}
			for s, n := range sizes {
				m, err := k.round(ctx, in, order[:n], k.C, k.rough())
				if err != nil {
					return nil, "", err
				}
				loss[way][s] += k.loss(m, out, order[:n])
			}
		}
	}
	way, best := 0, 0
	for w := range costs {
		for s := range sizes {
			if loss[w][s] < loss[way][best] {
				way, best = w, s
			}
		}
	}
	order, err := k.rank(ctx, rows, costs[way])
	if err != nil {
		return nil, "", err
	}
	kept := order[:sizes[best]]
	slices.Sort(kept)
	return kept, "", nil
}

func (k *ranker) rough() float64 { return max(k.Tolerance, roughRank) }

// rankSizes are the numbers of features to try: all up to 8, then an eighth more each time, and d.
func rankSizes(d int) (sizes []int) {
	for n := 1; n < d; n += max(1, n/8) {
		sizes = append(sizes, n)
	}
	return append(sizes, d)
}

// rank returns the features by the sizes of their coefficients in a round with the given rows, largest first.
func (k *ranker) rank(ctx context.Context, rows []int, c float64) ([]int, error) {
	order := deal.All(k.Problem.D)
	m, err := k.round(ctx, rows, order, c, k.rough())
	if err != nil {
		return nil, err
	}
	size := make([]float64, len(order))
	for i := range size {
		if size[i] = math.Abs(m.alpha[i]); k.Squares {
			size[i] = math.Hypot(m.alpha[i], m.alpha[len(order)+i])
		}
	}
	deal.Sort(order, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	return order, nil
}

// columnsOf returns the columns of features, then those of their squares, and the bias's last.
func (k *ranker) columnsOf(features []int) []int {
	cols := slices.Clone(features)
	if k.Squares {
		for _, f := range features {
			cols = append(cols, k.Problem.D+f)
		}
	}
	return append(cols, k.Columns()-1)
}

// round trains one round with λ = 1 on the given rows and features at the cost c, unless ctx has ended.
func (k *ranker) round(ctx context.Context, rows, features []int, c, tolerance float64) (*quadratic, error) {
	if ctx.Err() != nil {
		return nil, learn.Nothing(ctx, k.Method)
	}
	cols, width := k.columnsOf(features), k.Columns()
	s := &samples.Merged{Method: k.Method, Loss: k.Loss, Repeats: k.Repeats, First: cols[:len(cols)-1], Mixed: true,
		Classes: true, Biased: true, Threads: k.Threads}
	z := make([]float64, 0, len(rows)*len(cols))
	for _, r := range rows {
		for _, col := range cols {
			z = append(z, k.z[r*width+col])
		}
		s.Row = append(s.Row, r)
		s.Y = append(s.Y, k.Y[r])
		s.Edge = append(s.Edge, k.Edge[r])
		s.Cost = append(s.Cost, c/k.C*k.Cost[r])
	}
	m := &quadratic{A: A{C: c, Tolerance: tolerance, MaxIter: 1}, Merged: s}
	if err := m.rounds(ctx, newGrouped(newDiagonal(ctx, z, s, 0), deal.All(len(cols)))); err != nil {
		return nil, err
	}
	if len(m.live) < len(cols) {
		return nil, learn.Nothing(ctx, k.Method)
	}
	if m.report.Status == status.IterationLimit { // of one round, which was meant
		m.report.Status = status.Optimal
	}
	return m, nil
}

// loss is the cost of the hinge losses of the rows under a model of the features.
func (k *ranker) loss(m *quadratic, rows, features []int) (sum float64) {
	cols, width := k.columnsOf(features), k.Columns()
	for _, r := range rows {
		f := 0.0
		for i, col := range cols {
			f += m.alpha[i] * k.z[r*width+col]
		}
		sum += k.Cost[r] * max(0, 1-k.Y[r]*f)
	}
	return sum
}

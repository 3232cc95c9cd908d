package distill

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

const (
	foldCount = 5
	enough    = 1000 // held-out samples: no more folds
	maxAsked  = 4    // new samples of the largest round, times the set's
	minNew    = 500  // new samples of a round
	maxPool   = 20000
)

// labelWeights are compared with 0.
var labelWeights = []float64{0.5, 1}

// heldOut is what the students of folds say of samples that they were not trained on.
type heldOut struct {
	rows    []int
	teacher []float64 // loss to the teacher of each: the divergence, or the squared error
	truth   []float64 // the same to the label; nil without labels
	answers []float64 // rows×outputs

	students []*model.Classifier // of each fold
}

// judge trains students without the samples of each fold.
func (r *run) judge(ctx context.Context, weight float64) (*heldOut, error) {
	if r.splits == nil {
		splits, err := r.set.Folds(min(foldCount, r.set.N), r.Seed)
		if err != nil {
			return nil, err
		}
		n := (enough*len(splits) + r.set.N - 1) / r.set.N
		r.splits = splits[:max(1, min(len(splits), n))]
	}
	h := new(heldOut)
	for _, s := range r.splits {
		clf, _, err := r.train(ctx, r.without(s.Test), weight, r.setting)
		if ctx.Err() != nil {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		r.judgeFold(h, clf, s.Test)
	}
	return h, nil
}

// without are the samples of the pool that are not of a fold.
func (r *run) without(fold []int) (rows []int) {
	for i, in := range r.within(fold) {
		if !in {
			rows = append(rows, i)
		}
	}
	return rows
}

// within marks the samples of the pool that are of a fold, and those that one of the fold was mixed into.
func (r *run) within(fold []int) []bool {
	in := make([]bool, r.pool.n)
	for _, i := range fold {
		in[i] = true
	}
	for k, mixed := range r.pool.parents {
		in[r.set.N+k] = in[mixed[0]] || in[mixed[1]]
	}
	return in
}

// judgeFold adds the samples of a fold.
func (r *run) judgeFold(h *heldOut, clf *model.Classifier, fold []int) {
	h.students = append(h.students, clf)
	answers := r.answers(clf, r.part(fold).X, len(fold))
	for k, i := range fold {
		answer := answers[k*r.outputs : (k+1)*r.outputs]
		h.rows = append(h.rows, i)
		h.answers = append(h.answers, answer...)
		h.teacher = append(h.teacher, r.divergence(r.pool.teacher[i*r.outputs:(i+1)*r.outputs], answer))
		switch {
		case r.set.Targets != nil:
			off := answer[0] - r.set.Targets[i]
			h.truth = append(h.truth, off*off)
		case r.truth != nil && r.truth[i] >= 0:
			h.truth = append(h.truth, -math.Log(r.normalised(answer, r.truth[i])))
		case r.truth != nil:
			h.truth = append(h.truth, 0) // a class that the teacher does not know
		}
	}
}

// tiny keeps logarithms finite.
const tiny = 1e-12

// normalised is the probability of a class among all, at least tiny.
func (r *run) normalised(p []float64, class int) float64 {
	v, sum := r.probability(p, class), 1.0
	if r.outputs > 1 {
		sum = tiny
		for _, share := range p {
			sum += share
		}
	}
	return max(tiny, v/sum)
}

// divergence is Kullback and Leibler's, of the student's probabilities from the teacher's, or the squared error.
func (r *run) divergence(teacher, student []float64) (sum float64) {
	if r.Kind == Values {
		return (teacher[0] - student[0]) * (teacher[0] - student[0])
	}
	for c := range r.Labels {
		p := r.normalised(teacher, c)
		sum += p * math.Log(p/r.normalised(student, c))
	}
	return max(0, sum)
}

// weigh chooses the weight of the labels.
func (r *run) weigh(ctx context.Context) (err error) {
	if r.heldOut, err = r.judge(ctx, r.weight); err != nil || r.heldOut == nil {
		return err
	}
	if r.LabelWeight != nil || r.heldOut.truth == nil {
		return nil
	}
	first := r.heldOut
	for _, w := range labelWeights {
		h, err := r.judge(ctx, w)
		if err != nil || h == nil {
			return err
		}
		if fall, se := falls(first.truth, h.truth); fall > se && mean(h.truth) < mean(r.heldOut.truth) {
			r.heldOut, r.weight = h, w
		}
	}
	return nil
}

// falls is by how much the mean of losses falls from one to another of the same samples, with its standard error.
func falls(from, to []float64) (fall, se float64) {
	differences := slices.Clone(from)
	for i, loss := range to {
		differences[i] -= loss
	}
	return meanAndError(differences)
}

// mean is 0 of nothing: a round may have drawn no sample for a fold.
func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}

// Round is a round of asking again.
type Round struct {
	Asked   int      `json:"asked"`              // new samples
	Before  float64  `json:"loss_before"`        // to the teacher, of the students before, on new samples held out
	Teacher float64  `json:"loss_teacher"`       // the same with new samples
	Labels  *float64 `json:"loss_labels"`        // the same to the labels
	Kept    bool     `json:"kept"`               // the student is trained on them
	Ended   string   `json:"ended_by,omitempty"` // why it has no losses
}

// rounds asks the teacher about new samples as long as folds gain.
func (r *run) rounds(ctx context.Context) error {
	if r.Ask == nil || r.heldOut == nil {
		return nil
	}
	for round := range max(0, r.Rounds) {
		n := min(max(minNew, r.set.N)<<round, max(minNew, maxAsked*r.set.N), maxPool-r.pool.n)
		if n <= 0 {
			return nil
		}
		before := r.pool
		if err := r.ask(ctx, n, uint64(round+1)); err != nil {
			if ctx.Err() == nil {
				r.failed = fmt.Errorf("the teacher was asked about %d samples: %w", n, err)
			}
			return nil
		}
		h, err := r.judge(ctx, r.weight)
		if err != nil {
			return err
		}
		if h == nil {
			r.pool = before
			return nil
		}
		done := Round{Asked: n, Before: r.loss(r.fresh(r.heldOut, n)),
			Teacher: r.loss(r.fresh(h, n)), Kept: r.gains(h, n)}
		if h.truth != nil {
			loss := r.loss(h.truth)
			done.Labels = &loss
		}
		r.report.Rounds = append(r.report.Rounds, done)
		r.report.Asked += n
		if !done.Kept {
			r.pool = before
			return nil
		}
		r.heldOut = h
	}
	return nil
}

// gains reports whether a round counts, whose samples are the pool's last n.
func (r *run) gains(h *heldOut, n int) bool {
	if h.truth != nil {
		fall, se := falls(r.heldOut.truth, h.truth)
		if fall > se {
			return true
		}
		if fall < -se {
			return false
		}
	}
	fall, se := falls(r.heldOut.teacher, h.teacher)
	fresh, freshSE := falls(r.fresh(r.heldOut, n), r.fresh(h, n))
	return fall >= -se && fresh > freshSE
}

// fresh is the loss to the teacher on the pool's last n samples, of the students of the folds that were not trained on
// them.
func (r *run) fresh(h *heldOut, n int) (losses []float64) {
	d := r.set.D
	for f, s := range r.splits {
		in := r.within(s.Test)
		var x, teacher []float64
		for i := r.pool.n - n; i < r.pool.n; i++ {
			if in[i] {
				x = append(x, r.pool.x[i*d:(i+1)*d]...)
				teacher = append(teacher, r.pool.teacher[i*r.outputs:(i+1)*r.outputs]...)
			}
		}
		answers := r.answers(h.students[f], x, len(x)/d)
		for first := 0; first < len(answers); first += r.outputs {
			losses = append(losses, r.divergence(teacher[first:first+r.outputs], answers[first:first+r.outputs]))
		}
	}
	return losses
}

// ask adds n new samples with the teacher's answers to the pool.
func (r *run) ask(ctx context.Context, n int, seed uint64) error {
	if r.Progress != nil {
		r.Progress(learn.Event{Phase: "ask", Done: -1, Step: int(seed), Text: fmt.Sprintf("%d new samples", n)})
	}
	d := r.newDrawer(r.differences(), seed)
	x, parents := make([]float64, 0, n*r.set.D), make([][2]int, 0, n)
	for range n {
		var mixed [2]int
		x, mixed = d.one(x)
		parents = append(parents, mixed)
	}
	values, err := r.Ask(ctx, x, n)
	if err != nil {
		return err
	}
	if err = r.checked(values, n); err != nil {
		return err
	}
	p := &r.pool
	p.n += n
	p.x = append(slices.Clip(p.x), x...)
	p.teacher = append(slices.Clip(p.teacher), r.targets(values, n)...)
	p.parents = append(slices.Clip(p.parents), parents...)
	return nil
}

// differences are how far student and teacher are apart at each of the set's samples: the mean of the losses of
// held-out samples, and of those that were mixed from it.
func (r *run) differences() []float64 {
	sum, count := make([]float64, r.set.N), make([]float64, r.set.N)
	add := func(i int, loss float64) { sum[i], count[i] = sum[i]+math.Sqrt(loss), count[i]+1 }
	for k, i := range r.heldOut.rows {
		add(i, r.heldOut.teacher[k])
	}
	n := r.pool.n - r.set.N
	answers := r.answers(r.best, r.pool.x[r.set.N*r.set.D:], n)
	for k := range n {
		mixed, row := r.pool.parents[k], r.set.N+k
		loss := r.divergence(r.pool.teacher[row*r.outputs:(row+1)*r.outputs], answers[k*r.outputs:(k+1)*r.outputs])
		add(mixed[0], loss)
		add(mixed[1], loss)
	}
	for i := range sum {
		sum[i] /= max(1, count[i])
	}
	return sum
}

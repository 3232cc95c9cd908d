package distill

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/status"
)

// Report says what the student is, and how well it follows the teacher.
type Report struct {
	N       int    `json:"n"`
	D       int    `json:"d"`
	Kind    string `json:"kind"`              // of the teacher's numbers
	Classes int    `json:"classes,omitempty"` // 0 for values
	Units   int    `json:"units"`             // vectors and steps
	Vectors int    `json:"vectors"`           //
	Setting struct {
		C             float64 `json:"c"`
		Gamma         float64 `json:"gamma"`
		Units         string  `json:"units"`
		FeatureWidths bool    `json:"feature_widths"`
		Categories    string  `json:"categories,omitempty"` // "learned" for a value of each
	} `json:"setting"` // of the students' [direct.Trainer], chosen by folds
	LabelWeight float64 `json:"label_weight"`       // of the targets
	Asked       int     `json:"asked"`              // new samples, those of the last round among them
	Rounds      []Round `json:"rounds,omitempty"`   //
	HeldOut     *Held   `json:"held_out,omitempty"` // nil if the context ended before
	Bytes       int     `json:"bytes"`              // of tables in C of single precision
	Nanos       float64 `json:"ns"`                 // of a decision on this host
	Ended       string  `json:"ended_by,omitempty"` // a limit or an interrupt
}

// Held compares the students of the folds with the teacher and the labels, on samples that they were not trained on.
// Settings, the weight of the labels and the rounds were chosen with these samples.
type Held struct {
	N         int      `json:"n"`
	Agreement Estimate `json:"agreement"` // share of the teacher's classes, of values R²
	// Teacher is the mean divergence of the student's probabilities from the teacher's, in nats, or the RMSE.
	Teacher Estimate  `json:"loss_teacher"`
	Labels  *Estimate `json:"loss_labels,omitempty"` // log loss, or RMSE, of the student
	// Error rates, or of values the RMSE, against the labels, and by how much the student's is larger. The teacher may
	// have been trained on these samples.
	Student *Estimate `json:"error_student,omitempty"`
	Given   *Estimate `json:"error_teacher,omitempty"`
	Lost    *Estimate `json:"lost,omitempty"`
}

// Estimate is a figure with its interval of 95 %.
type Estimate struct {
	Value    float64           `json:"value"`
	Interval *metrics.Interval `json:"interval,omitempty"`
}

// result makes the report of the best student.
func (r *run) result(ctx context.Context) (*Result, error) {
	t := &r.report
	t.N, t.D, t.Kind, t.Classes = r.set.N, r.set.D, r.Kind.String(), len(r.Labels)
	t.Units, t.Vectors = r.best.NumUnits(), r.best.NumVectors()
	t.Setting.C, t.Setting.Gamma = r.setting.C, r.setting.gamma
	t.Setting.Units, t.Setting.FeatureWidths = r.setting.Units, r.setting.FeatureWidths
	if r.setting.values > 0 {
		t.Setting.Categories = "learned"
	}
	t.LabelWeight = r.weight
	if r.heldOut != nil {
		t.HeldOut = r.compare(r.heldOut)
	}
	var err error
	if t.Bytes, err = tableBytes(r.best); err != nil {
		return nil, err
	}
	t.Nanos = nanos(r.best)
	if by := status.FromContext(ctx); by != status.Unknown {
		t.Ended = by.String()
	}
	return &Result{Classifier: r.best, Report: *t, Failed: r.failed}, nil
}

// loss is what a report has of losses: their mean, or the root of it for squared errors.
func (r *run) loss(losses []float64) float64 {
	if r.Kind == Values {
		return math.Sqrt(mean(losses))
	}
	return mean(losses)
}

// estimate is a loss with its interval.
func (r *run) estimate(losses []float64) Estimate {
	n := float64(len(losses))
	m, se := meanAndError(losses)
	if r.Kind == Values {
		root := math.Sqrt(m)
		if !(root > 0) {
			return Estimate{Value: root}
		}
		i := metrics.Positive(root, se/(2*root), n, metrics.Level)
		return Estimate{root, &i}
	}
	i := metrics.Mean(m, se, n, metrics.Level)
	i.Low = max(0, i.Low)
	return Estimate{m, &i}
}

// meanAndError is a mean with its standard error.
func meanAndError(v []float64) (m, se float64) {
	m = mean(v)
	squares := 0.0
	for _, x := range v {
		squares += (x - m) * (x - m)
	}
	return m, math.Sqrt(squares) / float64(len(v))
}

// compare makes the figures of held-out samples.
func (r *run) compare(h *heldOut) *Held {
	c := &Held{N: len(h.rows), Teacher: r.estimate(h.teacher)}
	if h.truth != nil {
		e := r.estimate(h.truth)
		c.Labels = &e
	}
	if r.Kind == Values {
		r.compareValues(c, h)
		return c
	}
	var same, student, teacher, n float64
	var lost []float64
	for k, i := range h.rows {
		answer := r.classOf(h.answers[k*r.outputs : (k+1)*r.outputs])
		given := r.classOf(r.pool.teacher[i*r.outputs : (i+1)*r.outputs])
		if answer == given {
			same++
		}
		if r.truth == nil {
			continue
		}
		n++
		more := 0.0
		if answer != r.truth[i] {
			student, more = student+1, more+1
		}
		if given != r.truth[i] {
			teacher, more = teacher+1, more-1
		}
		lost = append(lost, more)
	}
	c.Agreement = share(same, float64(len(h.rows)))
	if n > 0 {
		a, b := share(student, n), share(teacher, n)
		c.Student, c.Given, c.Lost = &a, &b, difference(lost)
	}
	return c
}

func share(count, n float64) Estimate {
	i := metrics.Share(count/n, n, metrics.Level)
	return Estimate{count / n, &i}
}

// difference is a mean of differences sample by sample.
func difference(d []float64) *Estimate {
	m, se := meanAndError(d)
	i := metrics.Mean(m, se, float64(len(d)), metrics.Level)
	return &Estimate{m, &i}
}

// compareValues has R² for the agreement, and the RMSE of student and teacher.
func (r *run) compareValues(c *Held, h *heldOut) {
	var all, given []float64
	for _, i := range h.rows {
		all = append(all, r.pool.teacher[i])
	}
	center, spread := mean(all), 0.0
	for _, t := range all {
		spread += (t - center) * (t - center)
	}
	if c.Agreement.Value = 1; spread > 0 {
		c.Agreement.Value = 1 - mean(h.teacher)*float64(len(all))/spread
	}
	if h.truth == nil {
		return
	}
	for k, i := range h.rows {
		off := all[k] - r.set.Targets[i]
		given = append(given, off*off)
	}
	a, b := r.estimate(h.truth), r.estimate(given)
	c.Student, c.Given = &a, &b
	c.Lost = &Estimate{Value: a.Value - b.Value}
}

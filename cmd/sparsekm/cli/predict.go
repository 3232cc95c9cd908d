package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
)

type predictCmd struct {
	Model string `arg:"" help:"Model: ours, JSON or LIBSVM's."`
	Data  string `arg:"" help:"Points to classify; - for standard input."`

	Out       string `short:"o" placeholder:"FILE" help:"Write the labels here, one a line. Default: standard output."`
	Decisions bool   `help:"Write each point's decisions after its label."`
	Threads   int    `placeholder:"N" help:"Worker threads. Default: all cores."`

	DataFlags dataFlags `embed:""`
}

// predictJSON is what `sparsekm predict --json` prints. Labels and decisions are
// absent when they went to a file; errors are null for points without labels.
type predictJSON struct {
	N              int         `json:"n"`
	D              int         `json:"d"`
	Errors         *int        `json:"errors"`
	Error          *float64    `json:"error"`
	Labels         []string    `json:"labels,omitempty"`
	Decisions      [][]float64 `json:"decisions,omitempty"` // one for each machine of the model
	Seconds        secondsJSON `json:"seconds"`
	Implementation string      `json:"implementation"`
}

func (c *predictCmd) files() (in, out []named) {
	return []named{{"the model", c.Model}, {"the points", c.Data}}, []named{{"--out", c.Out}}
}

func (c *predictCmd) Run(s *session) error {
	if c.Threads < 0 {
		return usagef("--threads: found %d, want at least 1", c.Threads)
	}
	start := time.Now()
	clf, err := s.loadClassifier(c.Model)
	if err != nil {
		return err
	}
	set, clf, err := s.loadFor(clf, c.Data, &c.DataFlags)
	if err != nil {
		return err
	}
	loaded := time.Now()
	p, err := newPredictions(s.ctx, clf, set, c.Threads)
	if err != nil {
		return stopped(err)
	}
	j := &predictJSON{N: set.N, D: set.D, Implementation: sparsekm.Level()}
	j.Seconds.Load, j.Seconds.Predict = loaded.Sub(start).Seconds(), time.Since(loaded).Seconds()
	if set.Y != nil {
		wrong := p.errors(set)
		rate := float64(wrong) / float64(set.N)
		j.Errors, j.Error = &wrong, &rate
	}
	if c.Out != "" || !s.json {
		if err := s.writeFile(c.Out, func(w io.Writer) error { return p.write(s.stopping(w), c.Decisions) }); err != nil {
			return err
		}
	}
	if s.json {
		if c.Out == "" {
			j.Labels, j.Decisions = p.labels(), p.rows()
		}
		return s.writeJSON(j)
	}
	if j.Error != nil {
		fmt.Fprintf(s.stderr, "error %s (%d of %d)\n", percent(*j.Error), *j.Errors, set.N)
	}
	return nil
}

// predictions are a classifier's decisions and classes for the rows of a set.
type predictions struct {
	clf       *sparsekm.Classifier
	class     []int
	decisions []float64 // len(class)×NumMachines
}

// newPredictions decides and classifies every row. The error is the context's.
func newPredictions(
	ctx context.Context, clf *sparsekm.Classifier, set *dataset.Set, threads int,
) (*predictions, error) {
	m := clf.NumMachines()
	p := &predictions{clf: clf, class: make([]int, set.N), decisions: make([]float64, set.N*m)}
	err := eachBatch(ctx, clf, set, func(lo, n int, x []float64) {
		clf.PredictBatch(p.class[lo:lo+n], x, n, threads)
		clf.DecideBatch(p.decisions[lo*m:(lo+n)*m], x, n, threads)
	})
	return p, err
}

// eachBatch calls f for batches of rows, between which it looks at the context: some 2²⁷
// products of features, which take a few hundredths of a second.
func eachBatch(ctx context.Context, clf *sparsekm.Classifier, set *dataset.Set, f func(lo, n int, x []float64)) error {
	const products = 1 << 27
	rows := max(1, products/(1+set.D)/(1+clf.NumVectors()))
	err := ctx.Err()
	pprof.Do(ctx, pprof.Labels("phase", "predict"), func(context.Context) {
		for lo := 0; lo < set.N && err == nil; lo += rows {
			n := min(rows, set.N-lo)
			f(lo, n, set.X[lo*set.D:(lo+n)*set.D])
			err = ctx.Err()
		}
	})
	return err
}

// errors counts the points whose class is not their label's; labels that the
// classifier does not know are errors too.
func (p *predictions) errors(set *dataset.Set) int {
	wrong := 0
	for i, want := range set.ClassOf(p.clf.Labels()) {
		if p.class[i] != want {
			wrong++
		}
	}
	return wrong
}

func (p *predictions) labels() []string {
	l := make([]string, len(p.class))
	for i, c := range p.class {
		l[i] = p.clf.Label(c)
	}
	return l
}

// rows returns the decisions of each point.
func (p *predictions) rows() [][]float64 {
	m := p.clf.NumMachines()
	rows := make([][]float64, len(p.class))
	for i := range rows {
		rows[i] = p.decisions[i*m : (i+1)*m]
	}
	return rows
}

// write prints a label a line, and the decisions after it if they are wanted.
func (p *predictions) write(w io.Writer, decisions bool) error {
	b := bufio.NewWriter(w)
	var line []byte
	for i, row := range p.rows() {
		line = append(line[:0], p.clf.Label(p.class[i])...)
		if decisions {
			for _, f := range row {
				line = strconv.AppendFloat(append(line, ' '), f, 'g', -1, 64)
			}
		}
		b.Write(append(line, '\n'))
	}
	return b.Flush()
}

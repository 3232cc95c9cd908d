package svmtools

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/atomicfile"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

const predictUsage = `Usage: svm-predict [options] test_file model_file output_file
options:
-b 1 : write the probabilities of the classes too, and predict the most probable one
-q : print nothing
`

// score counts predictions against targets.
type score struct {
	n, right             int
	square               float64
	sp, st, spp, stt, pt float64 // Σp, Σt, Σp², Σt², Σpt
}

func (s *score) addClasses(want, got []int) {
	for i, k := range got {
		s.n++
		if k == want[i] {
			s.right++
		}
	}
}

func (s *score) addValues(want, got []float64) {
	for i, p := range got {
		t := want[i]
		s.n++
		s.square += (p - t) * (p - t)
		s.sp, s.st, s.spp, s.stt, s.pt = s.sp+p, s.st+t, s.spp+p*p, s.stt+t*t, s.pt+p*t
	}
}

func (s *score) meanSquare() float64 { return s.square / float64(s.n) }

// correlation is the square of the correlation coefficient.
func (s *score) correlation() float64 {
	n := float64(s.n)
	c := n*s.pt - s.sp*s.st
	return c * c / ((n*s.spp - s.sp*s.sp) * (n*s.stt - s.st*s.st))
}

// predict is svm-predict.
func predict(ctx context.Context, o *options, s streams) error {
	probable, err := o.integer('b', 0, 0, 1)
	if err != nil {
		return err
	}
	clf, err := model.Load(o.files[1])
	if err != nil {
		return err
	}
	calibrated := clf.Calibrated()
	switch {
	case probable == 1 && calibrated != nil:
		return fmt.Errorf("-b 1: %w", calibrated)
	case calibrated == nil && probable == 0 && o.values['q'] == "":
		s.say("Model supports probability estimates, but disabled in prediction.\n")
	}
	read := dataset.Options{Format: dataset.LIBSVM, ZeroBased: clf.Kernel().Indexed(), TextLabels: clf.Task() == learn.OneClass}
	if clf.Task() == learn.Regress {
		read.Targets = dataset.TargetValues
	}
	read.KeepSparse, read.KeepNarrow, read.Width = true, clf.Sparse() || clf.Kernel().Additive(), clf.NumFeatures()
	set, err := dataset.ReadFile(o.files[0], read)
	if err != nil {
		return err
	}
	if clf, set, err = fitting(clf, set); err != nil {
		return fmt.Errorf("%s: %w", o.files[0], err)
	}
	p := predictions{clf: clf, set: set, probable: probable == 1}
	if err = p.make(ctx); err != nil {
		return err
	}
	if err = atomicfile.Write(o.files[2], p.write); err != nil {
		return err
	}
	switch sum := p.score(); {
	case o.values['q'] != "":
	case clf.Task() == learn.Regress:
		s.say("Mean squared error = %.6g (regression)\nSquared correlation coefficient = %.6g (regression)\n",
			sum.meanSquare(), sum.correlation())
	default:
		s.say("Accuracy = %.6g%% (%d/%d) (classification)\n", 100*float64(sum.right)/float64(sum.n), sum.right, sum.n)
	}
	return nil
}

// fitting makes model and points as wide as each other: features that are in none of a file's rows are 0.
func fitting(clf *model.Classifier, set *dataset.Set) (*model.Classifier, *dataset.Set, error) {
	var err error
	if set.D > clf.NumFeatures() {
		clf, err = clf.WithFeatures(set.D)
	} else {
		set = set.Widen(clf.NumFeatures())
	}
	return clf, set, err
}

// predictions is what svm-predict writes.
type predictions struct {
	clf           *model.Classifier
	set           *dataset.Set
	probable      bool
	decisions     []float64
	class         []int
	probabilities []float64
}

// make decides about all points.
func (p *predictions) make(ctx context.Context) error {
	n := p.set.N
	p.decisions, p.class = make([]float64, n*p.clf.NumSubmodels()), make([]int, n)
	p.clf.DecideSet(p.decisions, p.set, 0, n, 0)
	if p.clf.Task() != learn.Regress {
		p.clf.Classes(p.class, p.decisions, n)
	}
	if p.probable { // the class is the most probable one, the first of several
		k := p.clf.NumClasses()
		p.probabilities = make([]float64, n*k)
		p.clf.ProbabilitiesOf(p.probabilities, p.decisions, n, 0)
		for i := range p.class {
			p.class[i] = 0
			for c, v := range p.probabilities[i*k : (i+1)*k] {
				if v > p.probabilities[i*k+p.class[i]] {
					p.class[i] = c
				}
			}
		}
	}
	return ctx.Err()
}

// write writes a line a point.
func (p *predictions) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	k := p.clf.NumClasses()
	if p.probable {
		fmt.Fprintf(b, "labels %s\n", strings.Join(p.clf.Labels(), " "))
	}
	for i, class := range p.class {
		if p.clf.Task() == learn.Regress {
			b.WriteString(strconv.FormatFloat(p.decisions[i], 'g', 17, 64))
		} else {
			b.WriteString(p.clf.Label(class))
		}
		if p.probable {
			for _, v := range p.probabilities[i*k : (i+1)*k] {
				fmt.Fprintf(b, " %.6g", v)
			}
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// score compares with the targets of the file.
func (p *predictions) score() (s score) {
	if p.clf.Task() == learn.Regress {
		s.addValues(p.set.Targets, p.decisions)
	} else {
		s.addClasses(p.set.ClassOf(p.clf.Labels()), p.class)
	}
	return s
}

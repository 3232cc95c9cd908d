package svmtools

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	_ "github.com/sparsekm/sparsekm/model/importers/libsvm"
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

// scoreOf counts predictions, numbers or the numbers of labels.
func scoreOf(found, targets []float64) score {
	s := score{n: len(targets)}
	for i, t := range targets {
		p := found[i]
		if p == t {
			s.right++
		}
		s.square += (p - t) * (p - t)
		s.sp, s.st, s.spp, s.stt, s.pt = s.sp+p, s.st+t, s.spp+p*p, s.stt+t*t, s.pt+p*t
	}
	return s
}

// numberOf is a label as LIBSVM reads it; no number is NaN, which equals nothing.
func numberOf(label string) float64 {
	v, err := strconv.ParseFloat(label, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// targets are the labels of the samples as numbers, or their values.
func targets(set *dataset.Set) []float64 {
	if set.Y == nil {
		return set.Targets
	}
	return numbers(set.Labels, set.Y)
}

// predicted is targets of predictions.
func predicted(p *predict.Predictions) []float64 {
	if p.Classes == nil {
		return p.Decisions
	}
	return numbers(p.Model.Labels(), p.Classes)
}

func numbers(labels []string, classes []int) []float64 {
	number, all := make([]float64, len(labels)), make([]float64, len(classes))
	for c, label := range labels {
		number[c] = numberOf(label)
	}
	for i, c := range classes {
		all[i] = number[c]
	}
	return all
}

func (s *score) meanSquare() float64 { return s.square / float64(s.n) }

// correlation is the square of the correlation coefficient.
func (s *score) correlation() float64 {
	n := float64(s.n)
	c := n*s.pt - s.sp*s.st
	return c * c / ((n*s.spp - s.sp*s.sp) * (n*s.stt - s.st*s.st))
}

// predictFile is svm-predict.
func predictFile(ctx context.Context, o *options, s streams) error {
	probable := 0
	if err := o.integers(map[byte]*int{'b': &probable}); err != nil {
		return err
	}
	clf, _, err := model.LoadWithin(o.files[1], s.memory)
	if err != nil {
		return err
	}
	calibrated := clf.Calibrated()
	marks := clf.Parts().Marks
	if marks != nil {
		calibrated = nil
	}
	switch {
	case probable != 0 && calibrated != nil:
		return fmt.Errorf("-b 1: %w", calibrated)
	case probable != 0 && clf.Task() == learn.Regress && o.values['q'] == "":
		s.say("%s=%.6g\n", laplaceText, marks[0])
	case calibrated == nil && probable == 0 && o.values['q'] == "":
		s.say("Model supports probability estimates, but disabled in prediction.\n")
	}
	read := dataset.Options{Format: dataset.LIBSVM, ZeroBased: clf.ZeroBased(), Targets: dataset.TargetValues,
		MaxBytes: s.reading()}
	read.KeepSparse, read.KeepNarrow, read.Width = true, clf.Sparse() || clf.Kernel().Additive(), clf.NumFeatures()
	set, err := dataset.ReadFile(o.files[0], read)
	if err != nil {
		return err
	}
	if clf, set, err = fitting(clf, set); err != nil {
		return fmt.Errorf("%s: %w", o.files[0], err)
	}
	p, err := predict.Set(ctx, clf, set, 0, false)
	if err != nil {
		return err
	}
	if probable != 0 && clf.Calibrated() == nil {
		maxProbable(p)
	} else if probable != 0 && clf.Task() == learn.OneClass {
		p.Probabilities = make([]float64, 2*p.N)
		for i, f := range p.Decisions {
			p.Probabilities[2*i] = inlier(marks, f)
			p.Probabilities[2*i+1] = 1 - p.Probabilities[2*i]
		}
	}
	if err = fileformat.Write(o.files[2], func(w io.Writer) error { return writePredictions(w, p) }); err != nil {
		return err
	}
	sum := scoreOf(predicted(p), set.Targets)
	switch {
	case o.values['q'] != "":
	case clf.Task() == learn.Regress:
		s.say("Mean squared error = %.6g (regression)\nSquared correlation coefficient = %.6g (regression)\n",
			sum.meanSquare(), sum.correlation())
	default:
		s.say("Accuracy = %.6g%% (%d/%d) (classification)\n", 100*float64(sum.right)/float64(sum.n), sum.right, sum.n)
	}
	return nil
}

// fitting makes model and samples as wide as each other: features that are in none of a file's rows are 0.
func fitting(clf *model.Classifier, set *dataset.Set) (*model.Classifier, *dataset.Set, error) {
	var err error
	if set.ZeroBased {
		if clf, err = clf.FromZero(); err != nil {
			return nil, nil, err
		}
	}
	if set.D > clf.NumFeatures() {
		clf, err = clf.WithFeatures(set.D)
	} else {
		set = predict.Widened(set, clf.NumFeatures())
	}
	return clf, set, err
}

// maxProbable fits in the probabilities, and makes the class of each row the most probable one, the first of several.
func maxProbable(p *predict.Predictions) {
	k := p.Model.NumClasses()
	p.Probabilities = make([]float64, p.N*k)
	if parts := p.Model.Parts(); parts.Scheme == model.OneVsOne || parts.Scheme == model.Binary {
		m := len(parts.Submodels)
		for i := range p.N {
			probabilities(&parts, p.Decisions[i*m:(i+1)*m], p.Probabilities[i*k:(i+1)*k])
		}
	} else {
		p.Model.ProbabilitiesOf(p.Probabilities, p.Decisions, p.N, 0)
	}
	for i, row := range p.ProbabilityRows() {
		p.Classes[i] = 0
		for c, v := range row {
			if v > row[p.Classes[i]] {
				p.Classes[i] = c
			}
		}
	}
}

// writePredictions writes a line a sample.
func writePredictions(w io.Writer, p *predict.Predictions) error {
	b := bufio.NewWriter(w)
	probabilities := p.ProbabilityRows()
	if probabilities != nil {
		if p.Model.Task() == learn.OneClass {
			b.WriteString("label normal outlier\n")
		} else {
			fmt.Fprintf(b, "labels %s\n", strings.Join(p.Model.Labels(), " "))
		}
	}
	for i := range p.N {
		if p.Classes == nil {
			b.WriteString(strconv.FormatFloat(p.Decisions[i], 'g', 17, 64))
		} else {
			b.WriteString(p.Label(i))
		}
		if probabilities != nil {
			for _, v := range probabilities[i] {
				fmt.Fprintf(b, " %.6g", v)
			}
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

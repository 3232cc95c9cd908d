package svmtools

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// probableFolds is the number of folds of -b 1.
const probableFolds = 5

// withProbabilities returns the model with what -b 1 fits, by LIBSVM's folds.
func (t *trainer) withProbabilities(ctx context.Context, s streams, clf *model.Classifier,
	set *dataset.Set) (*model.Classifier, error) {
	if t.task == learn.Classify {
		f, err := t.heldOut(ctx, clf, set)
		if err != nil {
			return nil, err
		}
		return clf.CalibrateOn(ctx, set.Y, f)
	}
	var marks []float64
	if t.task == learn.OneClass {
		f := make([]float64, set.N)
		clf.DecideSet(f, set, 0, set.N, 0)
		if marks = densityMarks(f); marks == nil {
			fmt.Fprintf(s.stderr, "WARNING: number of positive or negative decision values <%d; too few to do a "+
				"probability estimation.\n", marksASide)
			return clf, nil
		}
	} else {
		found, err := t.crossPredict(ctx, set, probableFolds)
		if err != nil {
			return nil, err
		}
		marks = []float64{laplace(found, set.Targets)}
		if !t.quiet {
			s.say("%s= %.6g\n", laplaceText, marks[0])
		}
	}
	p := clf.Parts()
	p.Marks = marks
	return model.New(p)
}

// heldOut returns a row of decision values for each sample, of the pairs with its class: from trainings on the samples
// of the pair in other folds. Without samples of one class the value is that of the other class, 1 or −1.
func (t *trainer) heldOut(ctx context.Context, clf *model.Classifier, set *dataset.Set) ([]float64, error) {
	pairs := clf.Parts().Submodels
	f := make([]float64, set.N*len(pairs))
	for j := range pairs {
		pos, neg := pairs[j].Pos, pairs[j].Neg
		var rows, negative []int
		for i, c := range set.Y {
			switch c {
			case pos:
				rows = append(rows, i)
			case neg:
				negative = append(negative, i)
			}
		}
		rows = append(rows, negative...)
		t.random.shuffle(rows)
		for k := range probableFolds {
			lo, hi := k*len(rows)/probableFolds, (k+1)*len(rows)/probableFolds
			values, err := t.pair(ctx, set, slices.Concat(rows[:lo], rows[hi:]), rows[lo:hi], pos)
			if err != nil {
				return nil, err
			}
			for r, i := range rows[lo:hi] {
				f[i*len(pairs)+j] = values[r]
			}
		}
	}
	return f, nil
}

// pair returns the decision values of the held samples from a training on others of two classes.
func (t *trainer) pair(ctx context.Context, set *dataset.Set, rows, tested []int, pos int) ([]float64, error) {
	f := make([]float64, len(tested))
	without := set.Subset(rows)
	classes := appearance(without)
	if len(classes) < 2 {
		for r := range f {
			switch {
			case len(classes) == 0:
			case classes[0] == pos:
				f[r] = 1
			default:
				f[r] = -1
			}
		}
		return f, nil
	}
	clf, _, err := t.model(ctx, without)
	if err != nil {
		return nil, err
	}
	clf.DecideSet(f, set.Subset(tested), 0, len(tested), 0)
	if clf.PositiveLabel(0) != set.Labels[pos] {
		for r := range f {
			f[r] = -f[r]
		}
	}
	return f, nil
}

// laplace is σ of the Laplace distribution of the targets around predictions, without errors of more than five standard
// deviations.
func laplace(found, targets []float64) float64 {
	sum := 0.0
	for i, v := range found {
		sum += math.Abs(targets[i] - v)
	}
	largest, n := 5*math.Sqrt2*sum/float64(len(found)), 0
	sum = 0
	for i, v := range found {
		if e := math.Abs(targets[i] - v); e <= largest {
			sum += e
			n++
		}
	}
	return sum / float64(n)
}

// laplaceText is what LIBSVM says of it.
const laplaceText = "Prob. model for test data: target value = predicted value + z,\n" +
	"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma"

// marksASide is the number of marks of inliers and of outliers.
const marksASide = 5

// densityMarks are the borders of LIBSVM's ten bins of the decision values of one class, nil for too few (Que and Lin,
// One-class SVM probabilistic outputs, 2024).
func densityMarks(f []float64) []float64 {
	slices.Sort(f)
	out, _ := slices.BinarySearch(f, 0)
	if out == len(f) { // none is at least 0: LIBSVM counts no outliers then
		out = 0
	}
	in := len(f) - out
	if out < marksASide || in < marksASide {
		return nil
	}
	var values [2*marksASide + 1]float64
	for i := range marksASide {
		values[i] = f[i*out/marksASide]
		values[marksASide+1+i] = f[out-1+(i+1)*in/marksASide]
	}
	marks := make([]float64, 2*marksASide)
	for i := range marks {
		marks[i] = (values[i] + values[i+1]) / 2
	}
	return marks
}

// inlier is the probability that a sample of that decision value is an inlier.
func inlier(marks []float64, f float64) float64 {
	switch i := slices.IndexFunc(marks, func(m float64) bool { return f < m }); i {
	case 0:
		return 0.001
	case -1:
		if f > marks[len(marks)-1] {
			return 0.999
		}
		return 0
	default:
		return float64(i) / float64(len(marks))
	}
}

// probabilities writes the probabilities of the classes for a row of decision values of pairs, as LIBSVM does: it
// stops the iteration of Wu, Lin and Weng (2004, algorithm 2) at 0.005 divided by the number of classes.
func probabilities(p *model.Parts, f, dst []float64) {
	k := len(dst)
	r := make([]float64, k*k)
	for i := range p.Submodels {
		m := &p.Submodels[i]
		v := min(max(p.Platt[i].Probability(f[i]), 1e-7), 1-1e-7)
		r[m.Pos*k+m.Neg], r[m.Neg*k+m.Pos] = v, 1-v
	}
	if k == 2 {
		dst[0], dst[1] = r[1], r[2]
		return
	}
	q, qp := make([]float64, k*k), make([]float64, k)
	for s := range k {
		dst[s] = 1 / float64(k)
		for t := range k {
			q[s*k+s] += r[t*k+s] * r[t*k+s]
			if t != s {
				q[s*k+t] = -r[t*k+s] * r[s*k+t]
			}
		}
	}
	for range max(100, k) {
		total, worst := 0.0, 0.0
		for s := range k {
			qp[s] = 0
			for t := range k {
				qp[s] += q[s*k+t] * dst[t]
			}
			total += dst[s] * qp[s]
		}
		for _, v := range qp {
			worst = max(worst, math.Abs(v-total))
		}
		if worst < 0.005/float64(k) {
			break
		}
		for s := range k {
			d := (total - qp[s]) / q[s*k+s]
			dst[s] += d
			total = (total + d*(d*q[s*k+s]+2*qp[s])) / (1 + d) / (1 + d)
			for t := range k {
				qp[t] = (qp[t] + d*q[s*k+t]) / (1 + d)
				dst[t] /= 1 + d
			}
		}
	}
}

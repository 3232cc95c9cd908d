package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/bayes"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/model/predict"
)

func init() {
	experiments["conformal"] = harness.Task{
		About: "coverage of prediction sets and intervals at 90 %, 31 sets, 50 splits of each", Run: conformalTask}
}

const (
	asked          = 0.9
	conformalDraws = 50
	maxTrained     = 600
	maxTested      = 2000
)

// conformalSet is a row of the table.
type conformalSet struct {
	name, method string
	load         func(e *harness.Env) (*dataset.Set, error)
	o            sparsekm.Options
}

func fileSet(name, file string) conformalSet {
	return conformalSet{name: name, method: "`svc`", o: sparsekm.Options{Trainer: svc.Trainer{}, Scale: dataset.ScaleZ},
		load: func(e *harness.Env) (*dataset.Set, error) { return e.Set(file) }}
}

func drawnSet(name string, set *dataset.Set) conformalSet {
	return conformalSet{name: name, method: "`svc`", o: sparsekm.Options{Trainer: svc.Trainer{}, Scale: dataset.ScaleZ},
		load: func(*harness.Env) (*dataset.Set, error) { return set, nil }}
}

func valuesSet(name string, set *dataset.Set, of learn.Trainer, k gram.Kernel) conformalSet {
	return conformalSet{name: name, method: "`" + of.Name() + "`",
		o:    sparsekm.Options{Trainer: of, Kernel: k, Scale: dataset.ScaleZ, ScaleTarget: true},
		load: func(*harness.Env) (*dataset.Set, error) { return set, nil }}
}

// alone is a set of one class.
func alone(s conformalSet) conformalSet {
	s.method, s.o.Trainer = "`one-class`", svc.OneClass{Nu: 0.2}
	load := s.load
	s.load = func(e *harness.Env) (*dataset.Set, error) {
		set, err := load(e)
		if err != nil {
			return nil, err
		}
		w := *set
		w.Y, w.Labels = nil, nil
		return &w, nil
	}
	return s
}

// clouds are several classes of normal clouds, each more often than the next.
func clouds(n, classes int, spread float64, seed uint64) *dataset.Set {
	rnd := dataset.NewRand(seed)
	x, y, labels := make([]float64, 2*n), make([]int, n), []string(nil)
	for c := range classes {
		labels = append(labels, fmt.Sprint(c))
	}
	for i := range n {
		c := 0
		for c < classes-1 && rnd.Float64() < 0.6 {
			c++
		}
		angle := 2 * math.Pi * float64(c) / float64(classes)
		y[i], x[2*i], x[2*i+1] = c, math.Cos(angle)+spread*rnd.NormFloat64(), math.Sin(angle)+spread*rnd.NormFloat64()
	}
	set, err := dataset.NewClasses(x, n, 2, y, labels)
	if err != nil {
		panic(err)
	}
	return set
}

// uneven has values whose noise grows from left to right.
func uneven(n int, seed uint64) *dataset.Set {
	rnd := dataset.NewRand(seed)
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 6 * rnd.Float64()
		y[i] = math.Sin(x[i]) + 0.1*x[i]*rnd.NormFloat64()
	}
	set, err := dataset.NewRegression(x, n, 1, y)
	if err != nil {
		panic(err)
	}
	return set
}

// rare keeps a share of the samples of the first class.
func rare(set *dataset.Set, share float64) *dataset.Set {
	var rows []int
	seen, kept := 0, 0
	for i, y := range set.Y {
		if y == 0 {
			seen++
			if float64(kept+1) > share*float64(seen) {
				continue
			}
			kept++
		}
		rows = append(rows, i)
	}
	return set.Subset(rows)
}

func conformalSets() []conformalSet {
	const n = 2600
	pairs := drawnSet("five clouds, pairs", clouds(n, 5, 0.5, 9))
	pairs.o.Scheme = model.OneVsOne
	fuzzy := drawnSet("four clouds, fuzzy pairs", clouds(n, 4, 0.6, 10))
	fuzzy.o.Scheme = model.PairwiseFuzzy
	free := gram.RBF(0)
	images := conformalSet{name: "MNIST", method: "`svc`", o: sparsekm.Options{Trainer: svc.Trainer{}},
		load: func(e *harness.Env) (*dataset.Set, error) { return digitSet(e, "t10k", n) }}
	return []conformalSet{
		fileSet("banana", "banana.libsvm"), fileSet("banana-1000", "banana-1000.libsvm"),
		fileSet("diabetis", "diabetis.libsvm"), fileSet("german", "german.libsvm"), fileSet("heart", "heart.libsvm"),
		fileSet("ionosphere", "ionosphere.libsvm"), fileSet("iris", "iris.libsvm"),
		fileSet("ringnorm", "ringnorm.libsvm.gz"), fileSet("ripley", "ripley-te.libsvm"),
		fileSet("thyroid", "thyroid.libsvm"), images,
		drawnSet("twonorm", dataset.Twonorm(n, 1)), drawnSet("waveform", dataset.Waveform(n, 2)),
		drawnSet("two Gaussians", dataset.TwoGaussians(n, 1, 1, 0, 3)),
		drawnSet("two Gaussians, flips", dataset.TwoGaussians(n, 2, 1, n/10, 4)),
		drawnSet("Peleg-Meir", dataset.PelegMeir(n, 0, 5)), drawnSet("Peleg-Meir, flips", dataset.PelegMeir(n, 0.2, 6)),
		drawnSet("ringnorm, one class rare", rare(dataset.Ringnorm(2*n, 7), 0.2)),
		drawnSet("three clouds", clouds(n, 3, 0.5, 8)), pairs, fuzzy,
		valuesSet("sinc", dataset.Sinc(n, 0.1, 1), svc.SVR{}, free),
		valuesSet("sinc", dataset.Sinc(n, 0.1, 2), bayes.RVM{}, free),
		valuesSet("Friedman 1", dataset.Friedman(1, n, 1, 3), svc.SVR{}, free),
		valuesSet("Friedman 1", dataset.Friedman(1, n, 1, 4), lssvm.Dual{}, free),
		valuesSet("Friedman 2", dataset.Friedman(2, n, 125, 5), svc.SVR{}, free),
		valuesSet("Friedman 3", dataset.Friedman(3, n, 0.1, 6), svc.SVR{}, free),
		valuesSet("uneven noise", uneven(n, 7), svc.SVR{}, free),
		valuesSet("uneven noise", uneven(n, 8), bayes.Fast{}, free),
		alone(fileSet("ripley", "ripley-te.libsvm")), alone(drawnSet("waveform", dataset.Waveform(n, 9))),
	}
}

// inSets counts the samples of one kind of prediction sets.
type inSets struct {
	in, of      float64
	classIn     []float64
	classOf     []float64
	size        float64 // labels, or the width in standard deviations of the targets
	empty, full float64
}

func (c *inSets) share() float64 { return c.in / c.of }

// classes are the shares of the classes; none of values.
func (c *inSets) classes() (shares []float64) {
	for k, of := range c.classOf {
		if of > 0 {
			shares = append(shares, c.classIn[k]/of)
		}
	}
	return shares
}

// add trains and counts on test samples.
func (c *inSets) add(ctx context.Context, train, test *dataset.Set, o sparsekm.Options, q sparsekm.Conformal) error {
	o.Conformal, o.Threads = q, 1
	clf, _, err := sparsekm.Train(ctx, train, o)
	if err != nil {
		return err
	}
	p, err := predict.Set(ctx, clf, test, 1, false)
	if err == nil {
		err = p.AddSets(ctx, test, 1)
	}
	if err != nil {
		return err
	}
	c.of += float64(p.N)
	if p.Classes == nil {
		_, sd := meanSD(test.Targets)
		for i, y := range test.Targets {
			low, high := p.Intervals[2*i], p.Intervals[2*i+1]
			if c.size += (high - low) / sd; low <= y && y <= high {
				c.in++
			}
		}
		return nil
	}
	k := clf.NumClasses()
	if c.classIn == nil {
		c.classIn, c.classOf = make([]float64, k), make([]float64, k)
	}
	for i := range p.N {
		in, y, size := p.Sets[i*k:(i+1)*k], 1, 0.0
		if test.Y != nil {
			y = test.Y[i]
		}
		for _, has := range in {
			if has {
				size++
			}
		}
		if c.classOf[y]++; in[y] {
			c.in++
			c.classIn[y]++
		}
		c.size += size
		switch int(size) {
		case 0:
			c.empty++
		case k:
			c.full++
		}
	}
	return nil
}

// conformalTask prints a row for each set, and what the rows come to.
func conformalTask(ctx context.Context, e *harness.Env) error {
	harness.Header("set", "method", "samples", "classes", "split, all", "size", "none", "every", "by class: all",
		"least class", "most", "size", "cross, all", "size")
	var all, classes, crossed []float64
	for _, s := range conformalSets() {
		set, err := s.load(e)
		if err != nil {
			return err
		}
		var split, byClass, cross inSets
		for draw := range uint64(conformalDraws) {
			train, test := halves(set, draw)
			if err = split.add(ctx, train, test, s.o, sparsekm.Conformal{Coverage: asked}); err == nil && set.Y != nil {
				err = byClass.add(ctx, train, test, s.o, sparsekm.Conformal{Coverage: asked, ByClass: true})
			}
			if err == nil {
				err = cross.add(ctx, train, test, s.o, sparsekm.Conformal{Coverage: asked, Folds: 5})
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		row := []string{s.name, s.method, fmt.Sprint(min(maxTrained, 2*set.N/3)), "", percentage(split.share()),
			fmt.Sprintf("%.2f", split.size/split.of), "", "", "", "", "", "", percentage(cross.share()),
			fmt.Sprintf("%.2f", cross.size/cross.of)}
		all = append(all, split.share())
		crossed = append(crossed, cross.share())
		if set.Targets == nil {
			row[6], row[7] = percentage(split.empty/split.of), percentage(split.full/split.of)
		}
		if shares := byClass.classes(); len(shares) > 0 {
			row[3], row[8] = fmt.Sprint(len(shares)), percentage(byClass.share())
			row[9], row[10] = percentage(slices.Min(shares)), percentage(slices.Max(shares))
			row[11] = fmt.Sprintf("%.2f", byClass.size/byClass.of)
			classes = append(classes, shares...)
		}
		harness.Row(row...)
	}
	fmt.Println()
	for _, of := range []struct {
		name   string
		shares []float64
	}{{"split", all}, {"split by class, each class", classes}, {"cross", crossed}} {
		mean, sd := meanSD(of.shares)
		within := 0
		for _, v := range of.shares {
			if math.Abs(v-asked) <= 0.015 {
				within++
			}
		}
		fmt.Printf("%s: mean %s, standard deviation %s, least %s, most %s, %d of %d within 1.5 pp\n", of.name,
			percentage(mean), percentage(sd), percentage(slices.Min(of.shares)), percentage(slices.Max(of.shares)), within,
			len(of.shares))
	}
	return nil
}

// percentage is a share in percent.
func percentage(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

// halves draws at most two thirds of the samples to train on, and tests on others.
func halves(set *dataset.Set, draw uint64) (train, test *dataset.Set) {
	rows := dataset.NewRand(1000 + draw).Perm(set.N)
	n := min(maxTrained, 2*set.N/3)
	return set.Subset(rows[:n]), set.Subset(rows[n:min(set.N, n+maxTested)])
}

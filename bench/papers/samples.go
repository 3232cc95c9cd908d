package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

// samples are a set with its splits, or a problem that draws both parts of a split.
type samples struct {
	name     string
	files    []string // in testdata, or the folder open of the data
	train    int      // training samples of a split
	generate func(n int, seed uint64) *dataset.Set
	clean    func(n int, seed uint64) *dataset.Set // test samples, where they differ

	set       *dataset.Set
	published []dataset.Split
}

// Test samples of a problem of classes, and of a regression.
const testClasses, testValues = 4000, 1000

// sources are sets of classes, then of values. Splits are the published ones, and then drawn from seeds.
var sources = []samples{
	{name: "banana", files: []string{"banana.libsvm"}, train: 400},
	{name: "diabetis", files: []string{"diabetis.libsvm"}, train: 468},
	{name: "heart", files: []string{"heart.libsvm"}, train: 170},
	{name: "ionosphere", files: []string{"ionosphere.libsvm"}, train: 316},
	{name: "iris", files: []string{"iris.libsvm"}, train: 75},
	{name: "ringnorm", files: []string{"ringnorm.libsvm.gz"}, train: 400},
	{name: "ripley", files: []string{"ripley.train.libsvm", "ripley.test.libsvm"}, train: 250},
	{name: "thyroid", files: []string{"thyroid.libsvm"}, train: 140},
	{name: "twonorm", train: 400, generate: dataset.Twonorm},
	{name: "german", files: []string{"german.libsvm"}, train: 700},
	{name: "waveform", train: 400, generate: dataset.Waveform},
	{name: "codes", train: 1000, generate: codes},
	{name: "twonorm, noise", train: 1000, generate: noisy(dataset.Twonorm)},
	{name: "ringnorm, noise", train: 1000, generate: noisy(dataset.Ringnorm)},
	regression("sinc 100", 100, 0.1, dataset.Sinc), regression("sinc 1000", 1000, 0.1, dataset.Sinc),
	regression("friedman 1", 240, 1, friedman(1)), regression("friedman 2", 240, 125, friedman(2)),
	regression("friedman 3", 240, 0.1, friedman(3)),
}

// regression draws n training samples with noise, and test samples without.
func regression(name string, n int, noise float64, draw func(int, float64, uint64) *dataset.Set) samples {
	noisy := func(noise float64) func(int, uint64) *dataset.Set {
		return func(n int, seed uint64) *dataset.Set { return draw(n, noise, seed) }
	}
	return samples{name: name, train: n, generate: noisy(noise), clean: noisy(0)}
}

// noisy has 80 features of unit normal noise after the set's own 20.
func noisy(draw func(int, uint64) *dataset.Set) func(int, uint64) *dataset.Set {
	return func(n int, seed uint64) *dataset.Set {
		s, rng := draw(n, seed), dataset.NewRand(100+seed)
		wide := &dataset.Set{N: n, D: s.D + 80, Y: s.Y, Labels: s.Labels}
		for i := range n {
			wide.X = append(wide.X, s.Row(i)...)
			for range wide.D - s.D {
				wide.X = append(wide.X, rng.NormFloat64())
			}
		}
		return wide
	}
}

func friedman(problem int) func(int, float64, uint64) *dataset.Set {
	return func(n int, noise float64, seed uint64) *dataset.Set { return dataset.Friedman(problem, n, noise, seed) }
}

// codes draws n samples of 60 codes from 1 to 4, at random but for the first six of the second class, each of which is
// its letter of a motif nine times out of ten.
func codes(n int, seed uint64) *dataset.Set {
	rng := dataset.NewRand(seed)
	s := &dataset.Set{N: n, D: 60, Labels: []string{"-1", "1"}}
	for range n {
		class := rng.IntN(2)
		s.Y = append(s.Y, class)
		for k := range s.D {
			code := 1 + rng.IntN(4)
			if class == 1 && k < 6 && rng.Float64() < 0.9 {
				code = 1 + (3*k+1)%4
			}
			s.X = append(s.X, float64(code))
		}
	}
	return s
}

// source reads the set of a name.
func source(e *harness.Env, name string) (*samples, error) {
	for _, s := range sources {
		if s.name == name {
			return &s, s.read(e)
		}
	}
	return nil, fmt.Errorf("no set %q", name)
}

// read reads the files, joined, and the published splits.
func (s *samples) read(e *harness.Env) error {
	for _, file := range s.files {
		part, err := dataset.ReadFile(filepath.Join("testdata", file), dataset.Options{})
		if errors.Is(err, fs.ErrNotExist) {
			part, err = e.Set(file)
		}
		if err != nil {
			return err
		}
		if s.set == nil {
			s.set = part
			continue
		}
		s.set.X, s.set.N = append(s.set.X, part.X...), s.set.N+part.N
		s.set.Y = append(s.set.Y, part.ClassOf(s.set.Labels)...)
	}
	for _, ending := range []string{".splits", ".cv10.splits"} {
		var err error
		if s.set == nil {
			return nil
		}
		if s.published, err = e.Splits(s.name+ending, s.set.N); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// splits is the number of splits, at most n: a cross-validation has no more than its folds.
func (s *samples) splits(n int) int {
	if s.name == "ionosphere" && len(s.published) > 0 {
		return min(n, len(s.published))
	}
	return n
}

// split returns the parts of split k.
func (s *samples) split(k int) (train, test *dataset.Set, err error) {
	seed := uint64(k)
	switch {
	case s.clean != nil:
		return s.generate(s.train, 2*seed+1), s.clean(testValues, 2*seed+2), nil
	case s.generate != nil:
		return s.generate(s.train, 2*seed+1), s.generate(testClasses, 2*seed+2), nil
	case k < len(s.published):
		return s.set.Subset(s.published[k].Train), s.set.Subset(s.published[k].Test), nil
	}
	share := math.Min(1, float64(s.train)/float64(s.set.N))
	drawn, err := s.set.Split(share, seed+1)
	return s.set.Subset(drawn.Train), s.set.Subset(drawn.Test), err
}

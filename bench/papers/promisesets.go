package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

// splitSet is a set with its splits.
type splitSet struct {
	name   string
	set    *dataset.Set
	splits []dataset.Split
}

// sources of samples: files of testdata and of the data folder, and generators. Splits are the published ones where
// their file is there, else drawn from seeds, with as many training samples.
var sources = []struct {
	name, splits string
	files        []string
	train        int
	generate     func(n int, seed uint64) *dataset.Set
}{
	{name: "banana", splits: "banana.splits", files: []string{"banana.libsvm"}, train: 400},
	{name: "diabetis", splits: "diabetis.splits", files: []string{"diabetis.libsvm"}, train: 468},
	{name: "heart", splits: "heart.splits", files: []string{"heart.libsvm"}, train: 170},
	{name: "ionosphere", splits: "ionosphere.cv10.splits", files: []string{"ionosphere.libsvm"}, train: 316},
	{name: "iris", splits: "iris.splits", files: []string{"iris.libsvm"}, train: 75},
	{name: "ringnorm", splits: "ringnorm.splits", files: []string{"ringnorm.libsvm.gz"}, train: 400},
	{name: "ripley", files: []string{"ripley.train.libsvm", "ripley.test.libsvm"}, train: 250},
	{name: "thyroid", splits: "thyroid.splits", files: []string{"thyroid.libsvm"}, train: 140},
	{name: "twonorm", train: 400, generate: dataset.Twonorm},
	{name: "german", splits: "german.splits", files: []string{"german.libsvm"}, train: 700},
	{name: "waveform", train: 400, generate: dataset.Waveform},
	{name: "codes", train: 1000, generate: codesOf},
}

const (
	seeded    = 10   // splits where none are published
	generated = 4000 // test samples of a generated set
)

// findSets reads and generates what there is; absent are names of sets whose files are not there.
func findSets(e *harness.Env) (sets []splitSet, absent []string, err error) {
	for _, s := range sources {
		p := splitSet{name: s.name}
		if s.generate != nil {
			p.set, p.splits = drawn(s.generate, s.train)
		} else if p.set, err = readParts(e, s.files); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, s.name)
			continue
		} else if err != nil {
			return nil, nil, err
		}
		if s.splits != "" {
			p.splits, err = e.Splits(s.splits, p.set.N)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, nil, err
			}
		}
		for seed := uint64(1); len(p.splits) < seeded; seed++ {
			split, err := p.set.Split(float64(s.train)/float64(p.set.N), seed)
			if err != nil {
				return nil, nil, err
			}
			p.splits = append(p.splits, split)
		}
		sets = append(sets, p)
	}
	return sets, absent, nil
}

// readParts joins the samples of files, from testdata or else from the data folder.
func readParts(e *harness.Env, files []string) (*dataset.Set, error) {
	var all *dataset.Set
	for _, file := range files {
		s, err := dataset.ReadFile(filepath.Join("testdata", file), dataset.Options{})
		if errors.Is(err, fs.ErrNotExist) {
			s, err = e.Set(file)
		}
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = s
			continue
		}
		if s.D != all.D || fmt.Sprint(s.Labels) != fmt.Sprint(all.Labels) {
			return nil, fmt.Errorf("%s has other features or labels than %s", file, files[0])
		}
		all.X = append(all.X, s.X...)
		all.Y = append(all.Y, s.Y...)
		all.N = all.N + s.N
	}
	return all, nil
}

// drawn has a training and a test part of its own in each split.
func drawn(generate func(int, uint64) *dataset.Set, train int) (*dataset.Set, []dataset.Split) {
	var all *dataset.Set
	splits := make([]dataset.Split, seeded)
	for k := range splits {
		s := generate(train+generated, uint64(k)+1)
		from := k * s.N
		for i := range s.N {
			if i < train {
				splits[k].Train = append(splits[k].Train, from+i)
			} else {
				splits[k].Test = append(splits[k].Test, from+i)
			}
		}
		if all == nil {
			all = s
		} else {
			all.X = append(all.X, s.X...)
			all.Y = append(all.Y, s.Y...)
			all.N = all.N + s.N
		}
	}
	return all, splits
}

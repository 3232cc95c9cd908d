package papers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
)

// Data is a file that tables are made of.
type Data struct {
	File   string // its name in a folder of data
	Source string
	// SHA256 of the file that the figures in the documentation were made of; "" of one that we never had.
	SHA256 string
	// draw makes samples like those of a file that is not there; nil where nothing else will do.
	draw func() *dataset.Set
}

// ida is the source of most sets.
const ida = "IDA benchmark (Rätsch, Onoda & Müller 2001)"

// catalogue has every file that some table needs.
var catalogue = []Data{
	{"ripley.train.libsvm", "Ripley (1996), synth.tr of the R package MASS; in testdata",
		"76261a8f36e042c592363528be87aa4727ffb04f9173365cd0807c8adf4bd680", nil},
	{"ripley.test.libsvm", "Ripley (1996), synth.te of the R package MASS; in testdata",
		"85b60d061b0de9beb64936a0b17f73309a64e25cee468092fe7e4aba5e286e4a", nil},
	{"banana-1000.libsvm", ida + ", 1000 samples drawn of 5300",
		"f1828fcc0006368c534e07cddd700e0cb70c5420cbb4a538bb8979912152384d", nil},
	{"banana.libsvm", ida, "6f08cd573c6f326634f31311a22f8d6e18f6c6c082a8ef127789d268fed5feca", nil},
	{"breast-cancer.libsvm", ida, "", nil},
	{"diabetis.libsvm", "UCI, PimaIndiansDiabetes of the R package mlbench; in testdata",
		"5f09bf560c0703df2bc817238a1ef520a4ae58049b7d075ef64114c5c6258586", nil},
	{"flare-solar.libsvm", ida, "", nil},
	{"german.libsvm", ida, "4fbe0785b94107c69fb4c68f2afea98769dacad83f57899579d704cfcbbafb52", nil},
	{"heart.libsvm", "UCI, Statlog heart", "86d0fd2ba9c1b744e66dd884781f3ca73fd357478571b009604143337233407e", nil},
	{"image.libsvm", ida, "", nil},
	{"ringnorm-1000.libsvm", ida + ", 1000 samples drawn of 7400",
		"daa250db71c125d97a07347d3c45fe495f615e59da28e7b4520cf4e2d5f072ec",
		func() *dataset.Set { return dataset.Ringnorm(1000, 1) }},
	{"ringnorm.libsvm.gz", ida, "8cdedfc0e11b77c6db9d0d0935a534036d2b47142db434313164ed75c72913c6",
		func() *dataset.Set { return dataset.Ringnorm(7400, 1) }},
	{"splice.libsvm", ida, "", nil},
	{"thyroid.libsvm", ida, "d0246cca35cbb602821d8b69dd94bb02334f71fe519152573e8a0407c412e00f", nil},
	{"titanic.libsvm", ida, "", nil},
	{"twonorm.libsvm", ida + "; else drawn by Breiman's rule", "",
		func() *dataset.Set { return dataset.Twonorm(7400, 1) }},
	{"waveform.libsvm", ida + "; else drawn by Breiman's rule, the last class against the others", "",
		func() *dataset.Set { return waveform(5000) }},
	{"waveform-1000.libsvm", ida + ", 1000 samples; else drawn by Breiman's rule, the last class against the others", "",
		func() *dataset.Set { return waveform(1000) }},
	{"ionosphere.libsvm", "UCI, Ionosphere of the R package mlbench; in testdata",
		"cd32abc6d53bd7ac1ef5c143dafdf6b4fe27cf26f7fe7ce5e2b32872b99d8470", nil},
	{"bupa.libsvm", "UCI, liver disorders, 345 rows, +1 is selector 1",
		"e22a9b67123d215ed4b72f44c97c9347f6a20f1070daead94ffed844b085d8a0", nil},
	{"cleveland.libsvm", "UCI, heart disease, Cleveland, 297 complete rows, +1 is any disease",
		"68934f1f960ce7142140ea628eac88ab0adf5ecaf7925b289c59428683040200", nil},
	{"mushroom.libsvm", "UCI, mushroom, 22 categories numbered from 0 in the order of their letters, +1 is edible",
		"105d99907f4397ca4dd13ccc7731d58d7b6a3e5ccb020d9323a478fd1ce71eb9", nil},
	{"iris.libsvm", "Fisher (1936); in testdata", "893841d4a4781df27a0e9d602a9e9ddfc4840fedf603c26bb8fc22c6dbc06d5f",
		nil},
	{"numeral.libsvm", "number plates (Abe 2005); never public", "", nil},
	{"thyroid-m.libsvm", "UCI, ann-thyroid", "", nil},
	{"blood-cell.libsvm", "Abe (2005); never public", "", nil},
	{"hiragana-50.libsvm", "Abe (2005); never public", "", nil},
	{"hiragana-13.libsvm", "Abe (2005); never public", "", nil},
	{"hiragana-105.libsvm", "Abe (2005); never public", "", nil},
	{"satimage.libsvm", "UCI, Statlog landsat, 4435 training rows before 2000 test rows; else drawn, of its sizes alone", "",
		satimageLike},
	{"mnist/train-images-idx3-ubyte.gz", "LeCun & Cortes",
		"0b367032e93c5d0cea0925647cfdb18614af8ee15f83e6f2fc2ad904a6835971", nil},
	{"mnist/train-labels-idx1-ubyte.gz", "LeCun & Cortes",
		"1787548bbe0bff1ec2ecdc0ef292b02df999e2d1a6002d27500982c652b17203", nil},
	{"mnist/t10k-images-idx3-ubyte.gz", "LeCun & Cortes",
		"1a1a05eab793c14bb050b398624a11b0ffd1a2953baed553b1b9bd079e2a20be", nil},
	{"mnist/t10k-labels-idx1-ubyte.gz", "LeCun & Cortes",
		"b91679a0acfe4ba0e50a2437a903084cba1f5f92592b016a25a7dfd00455798b", nil},
	{Drawn, "drawn or computed by the paper's rule", "", nil},
}

// Drawn stands for samples that a paper draws, and for formulas.
const Drawn = "drawn"

// FileOf returns the catalogue's entry.
func FileOf(name string) (Data, error) {
	for _, d := range catalogue {
		if d.File == name {
			return d, nil
		}
	}
	return Data{}, fmt.Errorf("papers: the catalogue has no %q", name)
}

// Drawn reports whether samples like those of the file are drawn where it is not there.
func (d *Data) Drawn() bool { return d.draw != nil || d.File == Drawn }

// Find returns the path of a file in the folders, "" if none has it. A folder may have a folder open.
func (e *Env) Find(file string) string {
	for _, folder := range e.Folders {
		for _, path := range []string{filepath.Join(folder, file), filepath.Join(folder, "open", file)} {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path
			}
		}
	}
	return ""
}

// set reads a file, or draws samples like it where it is not there.
func (e *Env) set(r *Result, file string) (*dataset.Set, error) {
	d, err := FileOf(file)
	if err != nil {
		return nil, err
	}
	path := e.Find(file)
	if path == "" {
		if d.draw == nil {
			return nil, absent(file)
		}
		r.drawn = append(r.drawn, file)
		return d.draw(), nil
	}
	if err = r.check(&d, path); err != nil {
		return nil, err
	}
	return dataset.ReadFile(path, dataset.Options{})
}

// check notes a file that is another one than the documentation's.
func (r *Result) check(d *Data, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(text); d.SHA256 != "" && hex.EncodeToString(sum[:]) != d.SHA256 {
		r.note("%s has the SHA-256 %x; the documentation's figures are of another file.", d.File, sum)
	}
	return nil
}

// splits reads the splits of a file NAME.ENDING from NAME.SUFFIX, and draws by the seeds what is not there: n of them,
// uniform, with so many training samples.
func (e *Env) splits(r *Result, set *dataset.Set, file, suffix string, n, training int) ([]dataset.Split, error) {
	name, _, _ := strings.Cut(file, ".")
	name += suffix
	if path := e.Find(name); path != "" {
		all, err := readSplits(path, set.N)
		return all[:min(n, len(all))], err
	}
	if training >= set.N {
		return nil, fmt.Errorf("%s: %d samples, want more than %d", file, set.N, training)
	}
	r.drawn = append(r.drawn, name)
	var all []dataset.Split
	for seed := range n {
		rows := dataset.NewRand(uint64(seed)).Perm(set.N)
		hand := make([]int, set.N) // fold 0 is the test part
		for _, i := range rows[:training] {
			hand[i] = 1
		}
		train, test := deal.Parts(hand, 0)
		all = append(all, dataset.Split{Train: train, Test: test})
	}
	return all, nil
}

// tenFolds are the published ten folds of a file, or stratified ones.
func (e *Env) tenFolds(set *dataset.Set, file string) ([]dataset.Split, error) {
	name, _, _ := strings.Cut(file, ".")
	if path := e.Find(name + ".cv10.splits"); path != "" {
		return readSplits(path, set.N)
	}
	return set.Folds(10, 1)
}

func readSplits(path string, n int) ([]dataset.Split, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return dataset.ReadSplits(f, path, n)
}

// waveform is Breiman's waveform problem with two classes, as the benchmark has it. Nobody prints which class is one of
// them: the last against the others gives an SVM the error that the papers print, the first 1.7 samples more.
func waveform(n int) *dataset.Set {
	s := dataset.Waveform(n, 1)
	two := &dataset.Set{X: s.X, N: s.N, D: s.D, Labels: []string{"-1", "1"}}
	for _, class := range s.Y {
		two.Y = append(two.Y, 0)
		if class == 2 {
			two.Y[len(two.Y)-1] = 1
		}
	}
	return two
}

// absent is the error for a file that is not there.
func absent(file string) error { return fmt.Errorf("%s: %w", file, fs.ErrNotExist) }

package papers

import (
	"context"
	"math/rand/v2"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

func abeOtherRows() []Row {
	const ringnorm, satimage = "ringnorm.libsvm.gz", "satimage.libsvm"
	return []Row{
		{[]string{"Ringnorm", "lssvm-lda"}, []string{"6", "98.64", "9.9"}, ringnorm, "lssvm-lda"},
		{[]string{"Ringnorm", "lssvm-lda, 59 candidates a step"}, []string{nothing, nothing, nothing}, ringnorm, "lssvm-lda"},
		{[]string{"Ringnorm", "pfsals"}, []string{"661", "98.52", "7.1"}, ringnorm, "pfsals"},
		{[]string{"Ringnorm", "kmp"}, []string{"77", "98.11", "7.5"}, ringnorm, "kmp"},
		{[]string{"Ringnorm", "sggp"}, []string{"74", "98.27", "50"}, ringnorm, "sggp"},
		{[]string{"Satimage", "lssvm-lda"}, []string{"1581", "92.05", nothing}, satimage, "lssvm-lda"},
		{[]string{"Satimage", "pfsals"}, []string{"1726", "92.25", "50"}, satimage, "pfsals"},
	}
}

// abeOtherOptions is a row of Table 8.
func abeOtherOptions(row *Row, c, eta float64) (sparsekm.Options, error) {
	values := learn.Values{"eta": eta}
	if strings.HasPrefix(row.Method, "lssvm") || row.Method == "pfsals" {
		values["c"] = c
	}
	if strings.Contains(row.Of[1], "candidates") {
		values["candidates"] = 59
	}
	tr, err := trainer(row.Method, values)
	return sparsekm.Options{Trainer: tr, Kernel: gram.RBF(1), Scale: dataset.ScaleMinMax, Scheme: model.PairwiseFuzzy,
		KernelOf: func(p *learn.Problem) (gram.Kernel, error) { return learn.Mahalanobis(p, 1.5) }}, err
}

func abeOther(ctx context.Context, r *Result, e *Env) error {
	return e.sets(r, func(file string, set *dataset.Set, rows []int) error {
		c, eta, splits := 100.0, 2e-4, []dataset.Split{twoParts(4435*set.N/6435, set.N)}
		if file != "satimage.libsvm" {
			c, eta = 1, 1e-3
			var err error
			if splits, err = e.splits(r, set, file, "-3000.splits", e.times(5, 1), 3000); err != nil {
				return err
			}
		}
		for k, i := range rows {
			o, err := abeOtherOptions(&r.Rows[i], c, eta)
			if err != nil {
				return err
			}
			all, err := e.each(ctx, set, splits, o, func(t *trial) { t.error = 100 - t.error }) // a rate
			if err != nil {
				return err
			}
			r.Ours[i] = []string{pm(all.vectors, 1), pm(all.error, 2), pm(all.seconds, 3)}
			e.show(r, k+1, len(rows), strings.Join(r.Rows[i].Of, " "))
		}
		return ctx.Err()
	})
}

const pixels, bands, parts = 9, 4, 3

// frequency of satimage's classes in its training part.
var frequency = []int{1072, 479, 961, 415, 470, 1038}

// satimageLike draws samples of satimage's sizes: 4435 training and 2000 test samples of 36 features, 9 neighbouring
// pixels of 4 bands, in 6 classes of its frequencies.
func satimageLike() *dataset.Set {
	rng := rand.New(rand.NewPCG(36, 6))
	mix := newMixtures(rng)
	s := &dataset.Set{N: 6435, D: pixels * bands, Labels: []string{"1", "2", "3", "4", "5", "7"}}
	s.X, s.Y = mix.draw(rng, s.N)
	return s
}

// mixtures are the classes' components: a mean of each band.
type mixtures [][parts][bands]float64

func newMixtures(rng *rand.Rand) mixtures {
	m := make(mixtures, len(frequency))
	for c := range m {
		var centre [bands]float64
		for k := range centre {
			centre[k] = 2 * rng.NormFloat64()
		}
		for part := range m[c] {
			for k := range bands {
				m[c][part][k] = centre[k] + 0.7*rng.NormFloat64()
			}
		}
	}
	return m
}

// draw draws n samples; neighbouring pixels share most of their deviation.
func (m mixtures) draw(rng *rand.Rand, n int) (x []float64, class []int) {
	total := 0
	for _, f := range frequency {
		total += f
	}
	for range n {
		c, r := 0, rng.IntN(total)
		for ; r >= frequency[c]; c++ {
			r -= frequency[c]
		}
		part := m[c][rng.IntN(parts)]
		for k := range part {
			part[k] += 0.8 * rng.NormFloat64()
		}
		for range pixels {
			for _, v := range part {
				x = append(x, v+0.6*rng.NormFloat64())
			}
		}
		class = append(class, c)
	}
	return x, class
}

package distill

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
)

const (
	maxUnmixed = 12  // numbers of a feature up to which they are never mixed
	neighbour  = 16  // samples of which the nearest is mixed in
	noise      = 0.1 // standard deviation of the noise, in that of the feature
)

// field is features that belong together: a number, or the features of a column that are taken as they are.
type field struct {
	first, n  int
	mixed     bool // a number between two others is one of the feature's
	whole     bool // mixed numbers are rounded
	lo, hi    float64
	deviation float64
	marked    bool // a mark of missing cells follows the number
}

// fieldsOf finds the fields of a set: columns of a table, else single features.
func fieldsOf(set *dataset.Set) (fields []field) {
	if set.Columns != nil {
		set.Columns.EachFeatures(func(c *dataset.Column, first, n int) {
			f := field{first: first, n: n, marked: c.Marked}
			if c.Role == dataset.RoleNumber {
				f.measure(set)
			}
			fields = append(fields, f)
		})
		return fields
	}
	for k := range set.D {
		f := field{first: k, n: 1}
		f.measure(set)
		fields = append(fields, f)
	}
	return fields
}

// measure finds the range of a number, and whether numbers in between are some of the feature's.
func (f *field) measure(set *dataset.Set) {
	f.lo, f.hi, f.whole = math.Inf(1), math.Inf(-1), true
	different := make([]float64, 0, maxUnmixed+1)
	var mean, square float64
	for i := range set.N {
		v := set.X[i*set.D+f.first]
		f.lo, f.hi = min(f.lo, v), max(f.hi, v)
		f.whole = f.whole && v == math.Trunc(v)
		if len(different) <= maxUnmixed && !slices.Contains(different, v) {
			different = append(different, v)
		}
		mean += v / float64(set.N)
	}
	for i := range set.N {
		off := set.X[i*set.D+f.first] - mean
		square += off * off / float64(set.N)
	}
	f.deviation, f.mixed = math.Sqrt(square), len(different) > maxUnmixed
}

// drawer draws new samples.
type drawer struct {
	set    *dataset.Set
	fields []field
	sums   []float64 // of the chances of the samples, up to each
	rng    *rand.Rand
}

// newDrawer draws half of the samples evenly, half in proportion to the given differences of student and teacher.
func (r *run) newDrawer(differences []float64, seed uint64) *drawer {
	d := &drawer{set: r.set, fields: r.fields, rng: rand.New(rand.NewPCG(r.Seed, seed)),
		sums: make([]float64, r.set.N)}
	var total, sum float64
	for _, v := range differences {
		total += v
	}
	for i, v := range differences {
		sum += 1 / float64(r.set.N)
		if total > 0 {
			sum += v / total
		}
		d.sums[i] = sum
	}
	return d
}

// one appends a new sample, and returns the two that it is mixed from.
func (d *drawer) one(x []float64) ([]float64, [2]int) {
	place := d.rng.Float64() * d.sums[len(d.sums)-1]
	i, _ := slices.BinarySearch(d.sums, place)
	i = min(i, d.set.N-1)
	j := d.near(i)
	a, b := d.set.X[i*d.set.D:(i+1)*d.set.D], d.set.X[j*d.set.D:(j+1)*d.set.D]
	first, t, shaken := len(x), d.rng.Float64()/2, d.rng.IntN(2) == 0
	x = append(x, a...)
	for k := range d.fields {
		f := &d.fields[k]
		numbers, others := a[f.first:f.first+f.n], b[f.first:f.first+f.n]
		missing := f.marked && (numbers[f.n-1] != 0 || others[f.n-1] != 0)
		if !f.mixed || missing {
			if d.rng.Float64() < t {
				copy(x[first+f.first:], others)
			}
			continue
		}
		v := numbers[0] + t*(others[0]-numbers[0])
		if shaken {
			v += noise * f.deviation * d.rng.NormFloat64()
		}
		if f.whole {
			v = math.Round(v)
		}
		x[first+f.first] = max(f.lo, min(v, f.hi))
	}
	return x, [2]int{i, j}
}

// near is the nearest of a few samples, in deviations; categories that differ count as far as one deviation.
func (d *drawer) near(i int) (at int) {
	a, nearest := d.set.X[i*d.set.D:(i+1)*d.set.D], math.Inf(1)
	at = i
	for range min(neighbour, d.set.N-1) {
		j := d.rng.IntN(d.set.N)
		if j == i {
			continue
		}
		b, distance := d.set.X[j*d.set.D:(j+1)*d.set.D], 0.0
		for k := range d.fields {
			f := &d.fields[k]
			switch {
			case f.deviation > 0:
				off := (a[f.first] - b[f.first]) / f.deviation
				distance += off * off
			case !slices.Equal(a[f.first:f.first+f.n], b[f.first:f.first+f.n]):
				distance++
			}
		}
		if distance < nearest {
			at, nearest = j, distance
		}
	}
	return at
}

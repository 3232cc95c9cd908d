package main

// #include "types.h"
import "C"

import (
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/model"
)

//export skm_decide
func skm_decide(m C.skm_model, x *C.skm_numbers, n C.int64_t, decisions *C.double, threads C.int, text **C.char) C.int {
	return withRows(m, x, n, decisions == nil, text, func(c *model.Classifier, rows *dataset.Set) error {
		return decideAll(c, rows, array[float64](decisions, rows.N*c.NumSubmodels()), nil, nil, threads)
	})
}

//export skm_predict
func skm_predict(m C.skm_model, x *C.skm_numbers, n C.int64_t, classes *C.int64_t, threads C.int, text **C.char) C.int {
	return withRows(m, x, n, classes == nil, text, func(c *model.Classifier, rows *dataset.Set) error {
		return decideAll(c, rows, nil, array[C.int64_t](classes, rows.N), nil, threads)
	})
}

//export skm_probabilities
func skm_probabilities(m C.skm_model, x *C.skm_numbers, n C.int64_t, probabilities *C.double, threads C.int,
	text **C.char) C.int {
	return withRows(m, x, n, probabilities == nil, text, func(c *model.Classifier, rows *dataset.Set) error {
		return decideAll(c, rows, nil, nil, array[float64](probabilities, rows.N*c.NumClasses()), threads)
	})
}

//export skm_decide_samples
func skm_decide_samples(m C.skm_model, samples *C.skm_the_samples, decisions *C.double, classes *C.int64_t,
	probabilities *C.double, threads C.int, text **C.char) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		if samples == nil {
			return argument("skm_decide_samples: samples is NULL")
		}
		set, err := samplesFor(c, samples)
		if err != nil {
			return err
		}
		return decideAll(c, set, array[float64](decisions, set.N*c.NumSubmodels()), array[C.int64_t](classes, set.N),
			array[float64](probabilities, set.N*c.NumClasses()), threads)
	})
}

// samplesFor are the samples as the model takes them.
func samplesFor(c *model.Classifier, samples *C.skm_the_samples) (*dataset.Set, error) {
	plain := C.skm_samples{x: samples.x, n: samples.n, d: samples.d, start: samples.start, index: samples.index}
	set, err := setOf(&plain)
	if err != nil {
		return nil, err
	}
	if set, err = withValues(c, set); err != nil {
		return nil, err
	}
	return set, fits(c, set.N, set.D)
}

// decideAll writes the results whose slices are not nil.
func decideAll(c *model.Classifier, rows *dataset.Set, decisions []float64, classes []C.int64_t,
	probabilities []float64, threads C.int) error {
	if classes != nil && c.Task().Real() {
		return argument("the model has values and no classes; skm_decide returns them")
	}
	if probabilities != nil {
		if err := c.Calibrated(); err != nil {
			return err
		}
	}
	if decisions == nil {
		decisions = make([]float64, rows.N*c.NumSubmodels())
	}
	if err := decide(c, decisions, rows, threads); err != nil {
		return err
	}
	if probabilities != nil {
		c.ProbabilitiesOf(probabilities, decisions, rows.N, max(0, int(threads)))
	}
	if classes != nil {
		class := make([]int, rows.N)
		c.Classes(class, decisions, rows.N)
		for i := range classes {
			classes[i] = C.int64_t(class[i])
		}
	}
	return nil
}

//export skm_sigmoids
func skm_sigmoids(m C.skm_model, a, b *C.double, text **C.char) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		if a == nil || b == nil {
			return argument("skm_sigmoids: a or b is NULL")
		}
		if err := c.Calibrated(); err != nil {
			return err
		}
		for j, p := range c.Parts().Platt {
			array[float64](a, j+1)[j], array[float64](b, j+1)[j] = p.A, p.B
		}
		return nil
	})
}

//export skm_variances
func skm_variances(m C.skm_model, x *C.skm_numbers, n C.int64_t, variances *C.double, threads C.int,
	text **C.char) C.int {
	return withRows(m, x, n, variances == nil, text, func(c *model.Classifier, rows *dataset.Set) error {
		if err := c.Uncertain(); err != nil {
			return err
		}
		// Variances are computed only if the decision values are finite.
		if err := decide(c, make([]float64, n), rows, threads); err != nil {
			return err
		}
		v := array[float64](variances, int(n))
		c.Variances(v, rows.X, int(n), max(0, int(threads)))
		if k := infinite(v); k >= 0 {
			return argument("the variance for row %d is %v: its features are too large for the %v kernel", k, v[k],
				c.Kernel().Kind)
		}
		return nil
	})
}

// withRows is [withModel] for n rows of features; missing says that there is no memory for the results.
func withRows(m C.skm_model, x *C.skm_numbers, n C.int64_t, missing bool, text **C.char,
	f func(c *model.Classifier, rows *dataset.Set) error) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		d := c.NumFeatures()
		rows, err := matrix(x, int64(n), int64(d))
		switch {
		case err != nil:
			return err
		case missing:
			return argument("the place for the results is NULL")
		}
		if err = fits(c, int(n), d); err != nil {
			return err
		}
		return f(c, &dataset.Set{X: rows, N: int(n), D: d})
	})
}

// fits refuses rows of another number of features, and too many rows.
func fits(c *model.Classifier, n, d int) error {
	if d != c.NumFeatures() {
		return argument("%d features, want %d, as many as the model has", d, c.NumFeatures())
	}
	return room(n, d, 16+8*int64(c.NumSubmodels()+c.NumClasses()))
}

// maxCaller bounds an array of the caller: no address space of a process has more bytes.
const maxCaller = 1 << 47

// matrix is n rows of d numbers in C memory; x may be NULL for an empty matrix.
func matrix(x *C.skm_numbers, n, d int64) ([]float64, error) {
	switch {
	case n < 0 || d < 0 || d > 0 && n > maxCaller/8/d:
		return nil, argument("%d rows of %d features", n, d)
	case x == nil && n*d > 0:
		return nil, argument("x is NULL, want %d rows of %d features", n, d)
	}
	return array[float64](x, int(n*d)), nil
}

// decide is DecideSet with a check that features and decision values are finite; sparse rows were checked already.
func decide(c *model.Classifier, f []float64, rows *dataset.Set, threads C.int) error {
	if err := finite(rows); err != nil {
		return err
	}
	c.DecideSet(f, rows, 0, rows.N, max(0, int(threads)))
	if k := infinite(f); k >= 0 {
		return argument("the decision for row %d is %v: its features are too large for the %v kernel", k/c.NumSubmodels(),
			f[k], c.Kernel().Kind)
	}
	return nil
}

// finite refuses features that are not finite.
func finite(rows *dataset.Set) error {
	if k := infinite(rows.X); k >= 0 {
		return argument("feature %d of row %d is %v, want a finite number", k%rows.D, k/rows.D, rows.X[k])
	}
	return nil
}

// infinite returns the index of the first number that is not finite, -1 for none.
func infinite(x []float64) int { return slices.IndexFunc(x, func(v float64) bool { return v-v != 0 }) }

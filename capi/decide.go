package main

// #include "types.h"
import "C"

import (
	"math"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/model"
)

//export skm_decide
func skm_decide(m C.skm_model, x *C.skm_numbers, n C.int64_t, decisions *C.double, threads C.int, text **C.char) C.int {
	return call(text, func() error {
		c, rows, err := asked(m, x, n, decisions == nil)
		if err != nil {
			return err
		}
		return decideAll(c, rows, array[float64](decisions, rows.N*c.NumSubmodels()), nil, nil, threads)
	})
}

//export skm_predict
func skm_predict(m C.skm_model, x *C.skm_numbers, n C.int64_t, classes *C.int64_t, threads C.int, text **C.char) C.int {
	return call(text, func() error {
		c, rows, err := asked(m, x, n, classes == nil)
		if err != nil {
			return err
		}
		return decideAll(c, rows, nil, array[C.int64_t](classes, rows.N), nil, threads)
	})
}

//export skm_probabilities
func skm_probabilities(m C.skm_model, x *C.skm_numbers, n C.int64_t, probabilities *C.double, threads C.int,
	text **C.char) C.int {
	return call(text, func() error {
		c, rows, err := asked(m, x, n, probabilities == nil)
		if err != nil {
			return err
		}
		return decideAll(c, rows, nil, nil, array[float64](probabilities, rows.N*c.NumClasses()), threads)
	})
}

//export skm_decide_points
func skm_decide_points(m C.skm_model, points *C.skm_the_points, decisions *C.double, classes *C.int64_t,
	probabilities *C.double, threads C.int, text **C.char) C.int {
	return call(text, func() error {
		c, err := find(m)
		if err != nil {
			return err
		}
		if points == nil {
			return argument("skm_decide_points: samples is NULL")
		}
		given := C.skm_points{x: points.x, n: points.n, d: points.d, start: points.start, index: points.index}
		set, err := setOf(&given)
		if err != nil {
			return err
		}
		if err = fits(c, set.N, set.D); err != nil {
			return err
		}
		return decideAll(c, set, array[float64](decisions, set.N*c.NumSubmodels()), array[C.int64_t](classes, set.N),
			array[float64](probabilities, set.N*c.NumClasses()), threads)
	})
}

// decideAll writes what slices are there for.
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

//export skm_variances
func skm_variances(m C.skm_model, x *C.skm_numbers, n C.int64_t, variances *C.double, threads C.int,
	text **C.char) C.int {
	return call(text, func() error {
		c, rows, err := asked(m, x, n, variances == nil)
		if err != nil {
			return err
		}
		if err = c.Uncertain(); err != nil {
			return err
		}
		// The decisions are looked at as they are elsewhere: where they are finite, the variances are asked for.
		if err = decide(c, make([]float64, n), rows, threads); err != nil {
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

// asked is the model and the rows of a question, whose answer has a place unless missing.
func asked(m C.skm_model, x *C.skm_numbers, n C.int64_t, missing bool) (*model.Classifier, *dataset.Set, error) {
	c, err := find(m)
	if err != nil {
		return nil, nil, err
	}
	d := c.NumFeatures()
	rows, err := matrix(x, int64(n), int64(d))
	if err == nil && missing {
		err = argument("the place for the results is NULL")
	}
	if err == nil {
		err = fits(c, int(n), d)
	}
	return c, &dataset.Set{X: rows, N: int(n), D: d}, err
}

// fits refuses rows that the model has no answers for, or too many.
func fits(c *model.Classifier, n, d int) error {
	if d != c.NumFeatures() {
		return argument("%d features, want %d, as many as the model has", d, c.NumFeatures())
	}
	if n > math.MaxInt64/8/max(1, c.NumSubmodels(), c.NumClasses()) {
		return argument("%d rows of %d decisions are too many", n, c.NumSubmodels())
	}
	return nil
}

// matrix is n rows of d numbers of C's, which need not be there where there are none.
func matrix(x *C.skm_numbers, n, d int64) ([]float64, error) {
	switch {
	case n < 0 || d < 0 || d > 0 && n > math.MaxInt/8/d:
		return nil, argument("%d rows of %d features", n, d)
	case x == nil && n*d > 0:
		return nil, argument("x is NULL, want %d rows of %d features", n, d)
	}
	return array[float64](x, int(n*d)), nil
}

// decide is DecideSet for rows of unknown origin; those that are sparse are known to be finite.
func decide(c *model.Classifier, f []float64, rows *dataset.Set, threads C.int) error {
	d, submodels := c.NumFeatures(), c.NumSubmodels()
	if k := infinite(rows.X); k >= 0 {
		return argument("feature %d of row %d is %v, want a finite number", k%d, k/d, rows.X[k])
	}
	c.DecideSet(f, rows, 0, rows.N, max(0, int(threads)))
	if k := infinite(f); k >= 0 {
		return argument("the decision for row %d is %v: its features are too large for the %v kernel", k/submodels, f[k],
			c.Kernel().Kind)
	}
	return nil
}

// infinite is the place of the first number that is not finite, -1 without one.
func infinite(x []float64) int {
	for k, v := range x {
		if v-v != 0 {
			return k
		}
	}
	return -1
}

package main

// #include "types.h"
import "C"

import (
	"math"

	"github.com/sparsekm/sparsekm/model"
)

//export skm_decide
func skm_decide(m C.skm_model, x *C.skm_numbers, n C.int64_t, decisions *C.double, threads C.int, text **C.char) C.int {
	return call(text, func() error {
		c, rows, err := asked(m, x, n, decisions == nil)
		if err != nil {
			return err
		}
		return decide(c, array[float64](decisions, int(n)*c.NumMachines()), rows, int(n), threads)
	})
}

//export skm_predict
func skm_predict(m C.skm_model, x *C.skm_numbers, n C.int64_t, classes *C.int64_t, threads C.int, text **C.char) C.int {
	return call(text, func() error {
		c, rows, err := asked(m, x, n, classes == nil)
		if err != nil {
			return err
		}
		if c.Task().Real() {
			return argument("skm_predict: the model has values and no classes; skm_decide returns them")
		}
		f, class := make([]float64, int(n)*c.NumMachines()), make([]int, n)
		if err = decide(c, f, rows, int(n), threads); err != nil {
			return err
		}
		c.Classes(class, f, int(n))
		for i, to := 0, array[C.int64_t](classes, int(n)); i < len(to); i++ {
			to[i] = C.int64_t(class[i])
		}
		return nil
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
		if err = c.Calibrated(); err != nil {
			return err
		}
		f := make([]float64, int(n)*c.NumMachines())
		if err = decide(c, f, rows, int(n), threads); err != nil {
			return err
		}
		c.ProbabilitiesOf(array[float64](probabilities, int(n)*c.NumClasses()), f, int(n), max(0, int(threads)))
		return nil
	})
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
		if err = decide(c, make([]float64, n), rows, int(n), threads); err != nil {
			return err
		}
		v := array[float64](variances, int(n))
		c.Variances(v, rows, int(n), max(0, int(threads)))
		if k := infinite(v); k >= 0 {
			return argument("the variance for row %d is %v: its features are too large for the %v kernel", k, v[k],
				c.Kernel().Kind)
		}
		return nil
	})
}

// asked is the model and the rows of a question, whose answer has a place unless missing.
func asked(m C.skm_model, x *C.skm_numbers, n C.int64_t, missing bool) (*model.Classifier, []float64, error) {
	c, err := find(m)
	if err != nil {
		return nil, nil, err
	}
	rows, err := matrix(x, int64(n), int64(c.NumFeatures()))
	if err == nil && missing {
		err = argument("the place for the results is NULL")
	}
	if err == nil && int64(n) > math.MaxInt64/8/int64(max(1, c.NumMachines(), c.NumClasses())) {
		err = argument("%d rows of %d decisions are too many", int64(n), c.NumMachines())
	}
	return c, rows, err
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

// decide is DecideBatch for rows of unknown origin.
func decide(c *model.Classifier, f, rows []float64, n int, threads C.int) error {
	d, machines := c.NumFeatures(), c.NumMachines()
	if k := infinite(rows); k >= 0 {
		return argument("feature %d of row %d is %v, want a finite number", k%d, k/d, rows[k])
	}
	c.DecideBatch(f, rows, n, max(0, int(threads)))
	if k := infinite(f); k >= 0 {
		return argument("the decision for row %d is %v: its features are too large for the %v kernel", k/machines, f[k],
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

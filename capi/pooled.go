package main

// #include "types.h"
//
// static inline int skm_asked(skm_pool_ask ask, void *user, const double *vectors, int64_t k, const double *coef,
//                             const double *bias, double *sums) {
//     return ask(user, vectors, k, coef, bias, sums);
// }
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/contrib/pooled"
	"github.com/sparsekm/sparsekm/learn"
)

// pooling is the options of skm_pool_train; skm_pool_sums takes only those of the kernel.
type pooling struct {
	sparsekm.KernelRequest
	C         float64 `json:"c"`
	MaxSV     int     `json:"max_sv"`
	Gain      float64 `json:"gain"`
	Passes    int     `json:"passes"`
	TimeLimit float64 `json:"time_limit"`
}

// candidates returns the candidates of a pool, with the kernel of the options.
func (o *pooling) candidates(p *C.skm_the_pool, options *C.skm_text) (*pooled.Candidates, error) {
	if p == nil || options == nil {
		return nil, argument("pool or options are NULL")
	}
	if err := parse(C.GoString(options), o); err != nil {
		return nil, err
	}
	vectors, err := matrix(p.vectors, int64(p.k), int64(p.d))
	if err != nil {
		return nil, err
	}
	if err = room(int(p.k), int(p.d), 64+16*int64(p.d)); err != nil {
		return nil, err
	}
	if p.classes < 0 || p.classes == 1 || p.classes > 1<<20 {
		return nil, argument("%d classes", int64(p.classes))
	}
	var training sparsekm.Options
	if err = o.Apply(&training); err != nil {
		return nil, err
	}
	k := training.Kernel
	if training.KernelOf != nil || k.Indexed() || k.HasGamma() && k.Gamma == 0 {
		return nil, argument("options: kernel and gamma: want a kernel of measurements, and a number where it has a gamma")
	}
	c := &pooled.Candidates{Kernel: k, Vectors: vectors, D: int(p.d)}
	if p.classes > 0 {
		c.Labels = labelsOf(p.labels, int(p.classes))
	}
	return c, nil
}

//export skm_pool_length
func skm_pool_length(vectors, classes C.int64_t) C.int64_t {
	if vectors < 0 || vectors > 1<<24 || classes < 0 || classes > 1<<20 {
		return -1
	}
	outputs := int(classes)
	if classes <= 2 {
		outputs = 1
	}
	return C.int64_t(pooled.Length(int(vectors), outputs))
}

//export skm_pool_sums
func skm_pool_sums(pool *C.skm_the_pool, options *C.skm_text, samples *C.skm_the_samples, coef, bias *C.skm_numbers,
	sums *C.double, text **C.char) C.int {
	return call(text, func() error {
		var o pooling
		c, err := o.candidates(pool, options)
		if err != nil {
			return err
		}
		if samples == nil || sums == nil {
			return argument("skm_pool_sums: samples or sums are NULL")
		}
		if samples.d != pool.d {
			return argument("%d features of the samples, %d of the vectors", int64(samples.d), int64(pool.d))
		}
		m, err := c.Model()
		if err != nil {
			return err
		}
		if m.K != int(pool.k) {
			return argument("%d of %d vectors repeat others: want the vectors that the training asks for", int(pool.k)-m.K,
				int(pool.k))
		}
		copy(m.Coef, array[float64](coef, len(m.Coef)))
		copy(m.Bias, array[float64](bias, len(m.Bias)))
		p, err := samplesOf(samples, m.Task)
		if err != nil {
			return err
		}
		return m.Sums(context.Background(), array[float64](sums, pooled.Length(m.K, len(m.Bias))), p)
	})
}

// samplesOf are the caller's samples for sums.
func samplesOf(p *C.skm_the_samples, task learn.Task) (*pooled.Samples, error) {
	unlabelled := *p
	unlabelled.y = nil // a shard may lack some classes
	set, err := setOf(&unlabelled)
	if err != nil {
		return nil, err
	}
	if set, err = set.Dense(maxBytes); err != nil {
		return nil, err
	}
	q := &pooled.Samples{X: set.X, N: set.N, Y: set.Targets, Weight: array[float64](p.weight, set.N)}
	if task == learn.Classify {
		if p.y == nil {
			return nil, argument("the samples have no classes")
		}
		q.Y = make([]float64, set.N)
		for i, y := range array[C.int64_t](p.y, set.N) {
			q.Y[i] = float64(y)
		}
	} else if q.Y == nil {
		return nil, argument("the samples have no values")
	}
	return q, nil
}

//export skm_pool_train
func skm_pool_train(pool *C.skm_the_pool, options *C.skm_text, ask C.skm_pool_ask, user unsafe.Pointer,
	watch *C.skm_the_watch, m *C.skm_model, report, text **C.char) C.int {
	return long(watch, m, report, text, func(m *C.skm_model, report **C.char) error {
		if ask == nil || m == nil {
			return argument("skm_pool_train: ask or model is NULL")
		}
		var o pooling
		c, err := o.candidates(pool, options)
		if err != nil {
			return err
		}
		ctx, progress, end := watched(watch, o.TimeLimit)
		defer end()
		sum := func(_ context.Context, m *pooled.Model) ([]float64, error) {
			sums := make([]float64, pooled.Length(m.K, len(m.Bias)))
			// Rule 1 of package unsafe: a C.double is a float64. These slices hold no pointers, so cgo keeps them where they
			// are during the call.
			number := func(v []float64) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(v))) }
			if C.skm_asked(ask, user, number(m.Vectors), C.int64_t(m.K), number(m.Coef), number(m.Bias), number(sums)) != 0 {
				return nil, fmt.Errorf("sparsekm: no sums: %w", context.Canceled)
			}
			return sums, nil
		}
		clf, r, err := pooled.TrainClassifier(ctx, c,
			pooled.Options{C: o.C, MaxSV: o.MaxSV, Gain: o.Gain, Passes: o.Passes, Progress: progress}, sum)
		if err != nil {
			return err
		}
		return handOver(clf, r, m, report)
	})
}

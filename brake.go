package sparsekm

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// brake ends the calls of kernel functions of the caller's own when the context ends, for one
// that takes a millisecond makes a row of 20,000 samples take 20 seconds. What is in progress
// then runs on with zeros to the next look at the context, where every solver goes back to
// its last finished step; what is computed after that, to judge the model, is void.
type brake struct {
	ctx      context.Context
	released atomic.Bool // the training is over
	refused  atomic.Bool // a value was asked for after the context's end
}

// on returns the kernel with the brake on its function, if it has one.
func (b *brake) on(k gram.Kernel) gram.Kernel {
	f := k.Func
	if f == nil {
		return k
	}
	k.Func = func(x, z []float64) float64 {
		if b.released.Load() || b.ctx.Err() == nil {
			return f(x, z)
		}
		b.refused.Store(true)
		return 0
	}
	return k
}

// release lets every kernel call its function again.
func (b *brake) release() { b.released.Store(true) }

// status returns the status of a training, which is that of the context's end if values were refused.
func (b *brake) status(st status.Status) status.Status {
	if b.refused.Load() && !st.Limit() {
		return status.FromContext(b.ctx)
	}
	return st
}

// reason returns the error of a training; what zeros gave means that nothing was learnt.
func (b *brake) reason(method string, err error) error {
	if b.refused.Load() && !errors.Is(err, b.ctx.Err()) {
		return learn.Nothing(b.ctx, method)
	}
	return err
}

// voids takes back what a report says of a model if values were refused: the objective and
// the certificate that zeros gave, and a status that was found with them.
func (b *brake) voids(r *learn.Report) {
	if !b.refused.Load() {
		return
	}
	r.Status = b.status(r.Status)
	r.Objective, r.Duality, r.Residual = math.NaN(), nil, nil
	r.Message = "stopped: the model is the best so far, what it would take to judge it was not computed"
}

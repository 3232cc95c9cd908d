package prepare

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// CancelKernel stops calls of a caller's kernel function when the context ends. A function that takes a millisecond
// makes a row of 20,000 samples take 20 seconds. After the end kernels return zeros until the solver checks the
// context and goes back to its last finished step. What is computed after that, to judge the model, is void.
type CancelKernel struct {
	ctx      context.Context
	released atomic.Bool // the training is over
	refused  atomic.Bool // a value was asked for after the context's end
}

// NewCancelKernel returns one for a training under the context.
func NewCancelKernel(ctx context.Context) *CancelKernel { return &CancelKernel{ctx: ctx} }

// Wrap returns the kernel with its function, if it has one, stopped at the context's end.
func (c *CancelKernel) Wrap(k gram.Kernel) gram.Kernel {
	f := k.Func
	if f == nil {
		return k
	}
	k.Func = func(x, z []float64) float64 {
		if c.released.Load() || c.ctx.Err() == nil {
			return f(x, z)
		}
		c.refused.Store(true)
		return 0
	}
	return k
}

// Release lets every wrapped kernel call its function again, for the model's predictions.
func (c *CancelKernel) Release() { c.released.Store(true) }

// Status returns a training's status: the context's if values were refused.
func (c *CancelKernel) Status(st status.Status) status.Status {
	if c.refused.Load() && !st.Limit() {
		return status.FromContext(c.ctx)
	}
	return st
}

// Reason returns a training's error: [learn.Nothing] if values were refused, since zeros can make any error.
func (c *CancelKernel) Reason(method string, err error) error {
	if c.refused.Load() && !errors.Is(err, c.ctx.Err()) {
		return learn.Nothing(c.ctx, method)
	}
	return err
}

// Void removes what refused values put into a report: objective, certificate and status.
func (c *CancelKernel) Void(r *learn.Report) {
	if !c.refused.Load() {
		return
	}
	r.Status = c.Status(r.Status)
	r.Objective, r.Duality, r.Residual = math.NaN(), nil, nil
	r.Message = "stopped: the model is the best so far, what it would take to judge it was not computed"
}

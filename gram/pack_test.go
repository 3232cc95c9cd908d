package gram

import (
	"context"
	"errors"
	"testing"
)

// lapsing ends after a number of questions.
type lapsing struct {
	context.Context
	left int
}

func (c *lapsing) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A long packing asks again and again whether it is still wanted.
func TestPackContext(t *testing.T) {
	const n, d = 4096, 2048
	x := make([]float64, n*d)
	for questions := range 4 {
		ctx := &lapsing{t.Context(), questions}
		if p, err := PackContext[float32](ctx, RBF(1), x, n, d); !errors.Is(err, context.Canceled) || p != nil {
			t.Errorf("after %d questions: %v, %v; want no samples and the context's error", questions, p, err)
		}
		if ctx.left != -2 && ctx.left != -1 {
			t.Errorf("after %d questions it went on for %d more", questions, -ctx.left)
		}
	}
	if p, err := PackContext[float32](t.Context(), RBF(1), x[:100], 10, 10); err != nil || p.Len() != 10 {
		t.Errorf("%v, %v", p, err)
	}
}

//go:build noinfinity

package ssvc

import (
	"context"
	"errors"

	"github.com/sparsekm/sparsekm/learn"
)

// infinity is for programs that do without linear programs in ssvc-a (0.1 MB) by the build tag noinfinity.
func (A) infinity(context.Context, *points, []float64, int) (*learn.Result, float64, error) {
	return nil, 0, errors.New("ssvc-a: the infinity norm needs a program that is not built with -tags noinfinity")
}

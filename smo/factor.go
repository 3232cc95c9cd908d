package smo

import "github.com/sparsekm/sparsekm/smo/internal/boxqp"

// Factor is the [Matrix] H = Z Zᵀ, given by the n rows z_i of Z. H is never formed:
// the solver works with the image u = Zᵀb, so one product costs n·r.
type Factor struct{ factor }

type factor = boxqp.Factor

// NewFactor wraps z, which is n×r, row-major with row stride ld, and keeps a reference to it. It panics
// when z is too short. A Factor serves one solve at a time.
func NewFactor(z []float64, n, r, ld int) *Factor { return &Factor{boxqp.NewFactor(z, n, r, ld)} }

// Narrow makes f the factor of the first r columns with row stride ld, after the caller has rearranged z.
// Both may only fall. The scratch memory of earlier solves stays in use.
func (f *Factor) Narrow(r, ld int) { f.factor.Narrow(r, ld) }

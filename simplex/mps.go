package simplex

import (
	"math"
)

// Model is a linear program with names, as MPS files hold it.
type Model struct {
	LP
	Name     string
	ObjName  string
	RowNames []string
	ColNames []string
	Maximize bool // the file maximises: C and Offset have their signs changed
	Relaxed  bool // the file wants integers in some columns, and LP does not
}

// Objective returns the value of a result in the file's own sense.
func (m *Model) Objective(r *Result) float64 {
	if m.Maximize {
		return -r.Objective
	}
	return r.Objective
}

// rangeOf returns the bounds that an MPS row type, right-hand side and range mean;
// has says whether there is a range r.
func rangeOf(kind byte, rhs, r float64, has bool) (lo, up float64) {
	switch kind {
	case 'L':
		lo, up = -inf, rhs
		if has {
			lo = rhs - math.Abs(r)
		}
	case 'G':
		lo, up = rhs, inf
		if has {
			up = rhs + math.Abs(r)
		}
	case 'E':
		lo, up = rhs, rhs
		if has && r < 0 {
			lo = rhs + r
		} else if has {
			up = rhs + r
		}
	default: // N
		lo, up = -inf, inf
	}
	return lo, up
}

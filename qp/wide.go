package qp

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// wide is a number in doubled precision, |Lo| at most half a unit in the last place of Hi (Dekker, 1971).
type wide = dense.Doubled

// wideOf is hi + lo, |hi| ≥ |lo|, as a wide number.
func wideOf(hi, lo float64) wide {
	s := hi + lo
	return wide{Hi: s, Lo: lo - (s - hi)}
}

func sum(a, b wide) wide {
	hi := a.Hi + b.Hi
	t := hi - a.Hi
	lo := (a.Hi - (hi - t)) + (b.Hi - t)
	e := a.Lo + b.Lo
	t = e - a.Lo
	rest := (a.Lo - (e - t)) + (b.Lo - t)
	v := wideOf(hi, lo+e)
	return wideOf(v.Hi, v.Lo+rest)
}

func negative(a wide) wide { return wide{Hi: -a.Hi, Lo: -a.Lo} }

func product(a, b wide) wide {
	p := float64(a.Hi * b.Hi) // the conversion rounds: it prevents fusing with a sum
	return wideOf(p, math.FMA(a.Hi, b.Hi, -p)+(a.Hi*b.Lo+a.Lo*b.Hi))
}

func quotient(a, b wide) wide {
	first := a.Hi / b.Hi
	if !finite(first) || first == 0 {
		return wide{Hi: first}
	}
	rest := sum(a, negative(product(b, wide{Hi: first})))
	second := rest.Hi / b.Hi
	rest = sum(rest, negative(product(b, wide{Hi: second})))
	v := wideOf(first, second)
	return sum(v, wide{Hi: rest.Hi / b.Hi})
}

func root(a wide) wide {
	if !(a.Hi > 0) {
		return wide{}
	}
	s := math.Sqrt(a.Hi)
	rest := sum(a, negative(product(wide{Hi: s}, wide{Hi: s})))
	return wideOf(s, rest.Hi/(2*s))
}

// wideDot is Σ a_i·b_i.
func wideDot(a, b []wide) (s wide) {
	b = b[:len(a)]
	for i, v := range a {
		if v.Hi != 0 && b[i].Hi != 0 {
			s = sum(s, product(v, b[i]))
		}
	}
	return s
}

// wideAxpy adds t times x to y.
func wideAxpy(t wide, x, y []wide) {
	if t.Hi == 0 {
		return
	}
	y = y[:len(x)]
	for i, v := range x {
		if v.Hi != 0 {
			y[i] = sum(y[i], product(t, v))
		}
	}
}

// wideRotation is (x, y) ↦ (cx + sy, cy − sx).
type wideRotation struct{ c, s wide }

// newWideRotation is the one that makes 0 of y.
func newWideRotation(x, y wide) wideRotation {
	if y.Hi == 0 {
		return wideRotation{c: wide{Hi: 1}}
	}
	scale := max(math.Abs(x.Hi), math.Abs(y.Hi))
	u, v := quotient(x, wide{Hi: scale}), quotient(y, wide{Hi: scale})
	h := root(sum(product(u, u), product(v, v)))
	return wideRotation{quotient(u, h), quotient(v, h)}
}

func (t wideRotation) apply(x, y *wide) {
	*x, *y = sum(product(t.c, *x), product(t.s, *y)), sum(product(t.c, *y), negative(product(t.s, *x)))
}

func (t wideRotation) applyRows(x, y []wide) {
	if t.s.Hi == 0 {
		return
	}
	for i := range x {
		t.apply(&x[i], &y[i])
	}
}

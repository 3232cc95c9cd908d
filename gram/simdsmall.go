//go:build goexperiment.simd && go1.27

package gram

import "unsafe"

func smallSquareSIMD(dst *float64, s *Small, x *float64)       { s.evalSIMD(square, dst, x) }
func smallExpandedSIMD(dst *float64, s *Small, x *float64)     { s.evalSIMD(expanded, dst, x) }
func smallAbsoluteSIMD(dst *float64, s *Small, x *float64)     { s.evalSIMD(absolute, dst, x) }
func smallSquareBellSIMD(dst *float64, s *Small, x *float64)   { s.evalSIMD(square, dst, x) }
func smallExpandedBellSIMD(dst *float64, s *Small, x *float64) { s.evalSIMD(expanded, dst, x) }
func smallInnerSIMD(dst *float64, s *Small, x *float64)        { s.evalSIMD(inner, dst, x) }

// smallChunk is the number of values between kernel and sum: a multiple of the partial sums. More of them would cost
// more to clear than calls cost.
const smallChunk = 2 * sumPanels * panelWidth / 8

// evalSIMD is evalGeneric with the loops of this level. The rule of unsafe.Slice: Eval has checked both lengths.
func (s *Small) evalSIMD(f form, dst, x *float64) {
	row, to := unsafe.Slice(x, s.d), unsafe.Slice(dst, len(s.bias))
	if s.scaling != nil {
		var mapped [smallFeatures]float64
		row = s.scaled(mapped[:s.d], row)
	}
	if len(to) == 1 {
		to[0] = s.sumSIMD(f, row, s.coefs) + s.bias[0]
		return
	}
	n := len(s.coefs) / len(to)
	for o, b := range s.bias {
		to[o] = s.sumSIMD(f, row, s.coefs[o*n:(o+1)*n]) + b
	}
}

// sumSIMD returns the sum of one output without its bias.
func (s *Small) sumSIMD(f form, row, coefs []float64) float64 {
	var values [smallChunk]float64
	var sums [sumPanels * panelWidth / 8]float64
	norm := 0.0
	if f == expanded {
		norm = normSquared(row, 1, s.d)
	}
	l := lanes[float64]()
	for at := 0; at < len(coefs); at += smallChunk {
		k := values[:min(smallChunk, len(coefs)-at)]
		t := tile64{out: k, q: row, x: s.panels[at*s.d:], qs: 1, xs: s.d * l, k: s.d, panels: len(k) / l, columns: len(k)}
		switch f {
		case square:
			squares64(t, 0)
		case absolute:
			differences64(t, 0)
		default:
			products64(t, 0)
		}
		if f == expanded {
			distances(k, k, s.norms[at:], norm)
		}
		switch {
		case s.curve.root != 0:
			s.bells(k)
		case f != inner:
			exp64(k, k, s.scale)
		}
		weighVectors64(sums[:], k, coefs[at:])
	}
	return total(sums[:])
}

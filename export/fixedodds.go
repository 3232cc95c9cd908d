package export

import "math"

// fixedOdds makes probabilities: the argument of submodel m's sigmoid is (f >> Drop)·Slopes[m] >> Shift, and Offsets[m]
// more, for decision values f within ±Limits[m].
type fixedOdds struct {
	Limits, Slopes, Offsets []int
	Drop, Shift             int
	Bound                   float64 // of the error of a probability, before those of classes are divided by their sum
}

// odds makes the probabilities of two classes, and of one submodel for each class.
func (p *fixed) odds() {
	if !p.Probable || p.pairs {
		return
	}
	const maxOffset = 1 << 18 // of the argument, where a probability has long been 0 or 1
	q := &fixedOdds{Shift: maxPower}
	slopes := make([]float64, len(p.PlattA))
	for m, a := range p.PlattA {
		slopes[m] = -a * p.Scale
		reach := (fallEnd + math.Abs(p.PlattB[m])) / math.Abs(slopes[m])
		limit := math.MaxInt32
		if reach < float64(limit) {
			limit = max(1, int(math.Ceil(reach)))
		}
		q.Limits = append(q.Limits, limit)
		for limit>>q.Drop > maxInt16 {
			q.Drop++
		}
	}
	unit := func(shift int) float64 { return math.Exp2(float64(fallBits + q.Drop + shift)) }
	for _, a := range slopes {
		for q.Shift > 0 && math.Abs(a)*unit(q.Shift) > maxInt16 {
			q.Shift--
		}
	}
	for m, a := range slopes {
		b := -p.PlattB[m]
		slope := min(maxInt16, max(-maxInt16, math.Round(a*unit(q.Shift))))
		offset := math.Round(min(maxOffset, max(-maxOffset, b)) * (1 << fallBits))
		q.Slopes = append(q.Slopes, int(slope))
		q.Offsets = append(q.Offsets, int(offset))
		off := math.Abs(a)*(p.Bounds[m]/p.Scale+math.Exp2(float64(q.Drop))) +
			math.Abs(slope/unit(q.Shift)-a)*float64(q.Limits[m]) + math.Abs(offset/(1<<fallBits)-b) +
			math.Exp2(-fallBits)
		q.Bound = max(q.Bound, min(1, off/4+fallError))
	}
	p.Odds = q
}

package prepare

import (
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/dataset"
)

// Octaves is the logarithm of v to base 2, in whole numbers of 1/parts; 0 unless v is positive and finite.
func Octaves(v, parts float64) int64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 0
	}
	return int64(math.Round(parts * math.Log2(v)))
}

// GammaParts is how many values of γ that a bound describes are in a factor of two.
const GammaParts = 2

// coarse makes every spread a power of two, and every centre 0, so that few bits describe the scaling. A feature
// that is constant gets the spread of the one before. Features far from 0 would lose digits.
func coarse(sc *dataset.Scaling) error {
	const far = 1 << 10
	last := 1.0
	for k, w := range sc.Spread {
		if w > 0 {
			if math.Abs(sc.Center[k]) > far*w {
				return fmt.Errorf("sparsekm: feature %d lies %.3g spreads from 0, which a bound cannot scale; subtract a "+
					"constant chosen without the samples, or scale nothing", k+1, math.Abs(sc.Center[k])/w)
			}
			last = math.Exp2(float64(Octaves(w, 1)))
		}
		sc.Center[k], sc.Spread[k] = 0, last
	}
	return nil
}

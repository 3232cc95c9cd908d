package reduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/model"
)

// latency has measured microseconds of a prediction for a few sizes.
type latency struct {
	sizes  []int // ascending
	micros []float64
}

// measure times single predictions with few, some and all vectors.
func (p *path) measure(ctx context.Context) (*latency, error) {
	l := new(latency)
	for _, s := range []int{1, p.n / 8, p.n / 4, p.n / 2, 3 * p.n / 4, p.n} {
		if s < 1 || slices.Contains(l.sizes, s) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		idx, coef, err := p.keep(ctx, s)
		if err != nil {
			return nil, err
		}
		c, err := p.classifier(idx, coef, p.bias())
		if err != nil {
			return nil, err
		}
		l.sizes = append(l.sizes, s)
		l.micros = append(l.micros, Microseconds(c))
	}
	return l, nil
}

// Microseconds times c.Predict on the features of its first vector, which are as sparse as a sample's: the least of
// five runs of 2 ms each, on this host at this SIMD level.
func Microseconds(c *model.Classifier) float64 {
	x := make([]float64, c.NumFeatures())
	if p := c.Parts(); p.N > 0 {
		copy(x, p.Vector(0))
	}
	best := math.Inf(1)
	for range 5 {
		start, calls := time.Now(), 0
		for calls == 0 || time.Since(start) < 2*time.Millisecond {
			c.Predict(x)
			calls++
		}
		best = min(best, time.Since(start).Seconds()*1e6/float64(calls))
	}
	return best
}

// attainable returns an error if even a single vector exceeds a limit of time.
func (l *latency) attainable(rules []Rule) error {
	for i := range rules {
		if r := &rules[i]; r.kind == ruleLatency && !r.met(1, l.at) {
			return fmt.Errorf("reduce: %s: one vector alone takes %.3g µs here", r, l.at(1))
		}
	}
	return nil
}

// at interpolates linearly; nil gives 0.
func (l *latency) at(s int) float64 {
	if l == nil {
		return 0
	}
	i, found := slices.BinarySearch(l.sizes, s)
	switch {
	case found:
		return l.micros[i]
	case i == 0:
		return l.micros[0]
	case i == len(l.sizes):
		return l.micros[i-1]
	}
	f := float64(s-l.sizes[i-1]) / float64(l.sizes[i]-l.sizes[i-1])
	return l.micros[i-1] + f*(l.micros[i]-l.micros[i-1])
}

package gram

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/csr"
)

// The uint8 layout holds features that are small integers, or integers times one step, as pixels from 0 to 1 are. A
// register holds eight times as many bytes as float64 values, and products of bytes add up without rounding. Pack
// chooses this layout from the data. A query with other values is off the grid; see offgrid.go.

const (
	uint8Max      = 255
	uint8Features = 1 << 14 // the most features: 2·255²·d stays below 2³¹
	uint8Lanes    = 16      // samples in a panel
	uint8Speed    = 8       // speed relative to panels of float64
)

// uint8Samples is the uint8 layout: features are origin + step·b, 0 ≤ b ≤ 255. A panel holds 16 samples. Each word of
// a panel holds four features of a sample, the first one in the lowest byte.
type uint8Samples struct {
	n, d, groups int // groups of four features
	grid
	offGrid       transform // maps off-grid queries to units of b, or of step·b for inner products
	panels        []uint32
	squares, sums []int32 // Σ b² and Σ b of each sample, padded to whole panels
	ends          []int32 // a sample's term in fromDots: Σ b² for distances, 0 for inner products
	inner         bool
	ones          *bits4Samples // the 4-bit layout if all b are 0 or 1 and the kernel decays with the distance
}

// inUint8 is the uint8 layout with the formula that turns sums into kernel values.
type inUint8[T Float] struct {
	formula[T]
	*uint8Samples
	table *distanceTable[T] // kernel values by squared distance, if there is a 4-bit layout
}

func uint8For[T Float](k Kernel, o *uint8Samples) *inUint8[T] {
	p := &inUint8[T]{formula: formula[T]{kernel: k, form: k.trait().form}, uint8Samples: o}
	if o.ones != nil {
		p.table = tableOf[T](k, o.step)
	}
	return p
}

func (p *inUint8[T]) cost() int { return max(1, p.d/p.share()) }

func (p *inUint8[T]) subset(idx []int) layout[T] {
	return &inUint8[T]{p.formula, p.uint8Samples.subset(idx), p.table}
}

// share is the speed of the layout relative to panels of float64.
func (o *uint8Samples) share() int {
	if o.ones != nil {
		return max(uint8Speed, bits4Speed*o.d/o.ones.mean)
	}
	return uint8Speed
}

// grid is the numbers origin + step·b, 0 ≤ b ≤ 255, within a tolerance of off; rate is 1/step. Assembly reads the
// fields.
type grid struct{ origin, step, rate, off float64 }

// gridTolerance is grid.off divided by the largest feature. It allows for the rounding of step·b and of x.
const gridTolerance = 4.0 / (1 << 53)

// gridOf returns the grid with the largest step that divides all differences of x, to about nine digits. Only packing
// verifies it to grid.off. The grid must also contain the number from, unless from is NaN.
func gridOf(x []float64, from float64) (g grid, ok bool) {
	if len(x) == 0 {
		return g, false
	}
	lo, hi, first := x[0], x[0], x[0]
	if from == from {
		lo, hi, first = min(lo, from), max(hi, from), from
	}
	step := 0.0
	for _, v := range x {
		if v-v != 0 {
			return g, false
		}
		lo, hi = min(lo, v), max(hi, v)
		if step = commonStep(step, math.Abs(v-first)); step*(uint8Max+0.5) < hi-lo {
			return g, false
		}
	}
	if step == 0 {
		return g, false
	}
	g = grid{origin: lo, step: (hi - lo) / math.Round((hi-lo)/step), off: gridTolerance * max(math.Abs(lo), math.Abs(hi))}
	if value := math.Round(lo / g.step); lo > 0 && hi <= (uint8Max+0.5)*g.step && math.Abs(lo-value*g.step) <= g.off {
		g.origin = 0
	}
	g.rate = 1 / g.step
	return g, true
}

// commonStep returns the largest common divisor of a and b, up to rounding. The divisor of 0 and a is a.
func commonStep(a, b float64) float64 {
	const rounding = 1e-9
	if a > 0 {
		if t := b / a; math.Abs(t-math.Round(t)) < rounding*max(1, t) {
			return a
		}
	}
	end := rounding * max(a, b)
	for b > end {
		r := math.Mod(a, b)
		if b-r < end {
			r = 0
		}
		a, b = b, r
	}
	return a
}

// number returns the b of v, and whether v is on the grid.
func (g *grid) number(v float64) (b int32, ok bool) {
	t := (v - g.origin) * g.rate
	if !(t > -0.5 && t < uint8Max+0.5) {
		return 0, false
	}
	b = int32(t + 0.5)
	return b, math.Abs(v-(g.origin+float64(g.step*float64(b)))) <= g.off
}

// byBytes reports whether the uint8 layout may pay for the kernel and n samples of d features.
func (k Kernel) byBytes(n, d int) bool {
	f := k.trait().form
	return (f == square || f == inner) && k.Weights == nil &&
		n >= cscSamples && d >= expandFeatures && d <= uint8Features
}

// Bytes reports whether Pack would use the uint8 layout for the rows of m if they were dense: the values are whole
// multiples of one step, at most 255 of them.
func (k Kernel) Bytes(m *csr.Matrix) bool {
	if !k.byBytes(m.N, m.D) {
		return false
	}
	g, ok := gridOf(m.Value, 0)
	return ok && (k.trait().form == square || g.origin == 0)
}

// packUint8 packs n samples for k, whose form is square or inner. It returns nil if bytes cannot hold them or do not
// pay. Its error is ctx's.
func packUint8(ctx context.Context, k Kernel, x []float64, n, d int) (*uint8Samples, error) {
	if !k.byBytes(n, d) {
		return nil, nil
	}
	t, from := k.trait(), math.NaN()
	if t.form == inner {
		from = 0
	}
	g, ok := gridOf(x[:cscSamples*d], from) // the first samples rule out most sets
	if !ok || t.form == inner && g.origin != 0 {
		return nil, nil
	}
	o := &uint8Samples{n: n, d: d, groups: (d + 3) / 4, grid: g, inner: t.form == inner}
	ok, err := o.fill(ctx, x)
	if !ok && err == nil { // the grid of all samples may fit
		if o.grid, ok = gridOf(x, from); ok && (!o.inner || o.origin == 0) {
			ok, err = o.fill(ctx, x)
		}
	}
	if !ok {
		return nil, err
	}
	o.setOffGrid()
	if t.decay {
		o.ones = bits4Of(o)
	}
	return o, nil
}

// setOffGrid fills offGrid.
func (o *uint8Samples) setOffGrid() {
	o.offGrid = transform{centre: make([]float64, o.d), scale: make([]float64, o.d)}
	for k := range o.d {
		o.offGrid.centre[k], o.offGrid.scale[k] = o.origin, 1/o.step
		if o.inner {
			o.offGrid.scale[k] = o.step
		}
	}
}

// fill packs the samples, and reports whether all are on the grid.
func (o *uint8Samples) fill(ctx context.Context, x []float64) (ok bool, err error) {
	if o.panels == nil {
		o.reserve()
	}
	for i := 0; i < o.n; {
		if i%256 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		onGrid, done := o.packFour(i, x)
		if done && !onGrid {
			return false, nil
		}
		if done {
			i += 4
			continue
		}
		if o.squares[i], o.sums[i], ok = o.pack(o.panels[o.at(i):], uint8Lanes, x[i*o.d:(i+1)*o.d]); !ok {
			return false, nil
		}
		i++
	}
	return true, nil
}

// packFour packs the samples i to i+3 of x if they are in one panel and the level has assembly for that; done says so.
func (o *uint8Samples) packFour(i int, x []float64) (onGrid, done bool) {
	groups := o.d / 4
	if i%4 != 0 || i+4 > o.n || groups == 0 {
		return false, false
	}
	dst, x := o.panels[o.at(i):], x[i*o.d:(i+4)*o.d]
	_ = dst[(groups-1)*uint8Lanes+3]
	var sums [4][2]int32
	onGrid, done = runPackUint8Four(&dst[0], 4*uint8Lanes, &x[0], uintptr(8*o.d), groups, &o.grid, &sums)
	for r := 0; r < 4 && onGrid && done; r++ {
		rest := x[r*o.d+4*groups : (r+1)*o.d]
		onGrid = o.packGeneric(dst[min(groups*uint8Lanes+r, len(dst)):], uint8Lanes, rest, &sums[r])
		o.squares[i+r], o.sums[i+r] = sums[r][0], sums[r][1]
	}
	return onGrid, done
}

// pack writes a caller's sample to dst[0], dst[stride], ... It returns Σ b², Σ b, and whether the sample is on the
// grid.
func (o *uint8Samples) pack(dst []uint32, stride int, x []float64) (squares, sum int32, ok bool) {
	var sums [2]int32
	whole := 0
	if groups := len(x) / 4; groups > 0 {
		_ = dst[(groups-1)*stride]
		onGrid, done := runPackUint8(&dst[0], uintptr(4*stride), &x[0], groups, &o.grid, &sums)
		if done && !onGrid {
			return 0, 0, false
		}
		if done {
			whole = groups
		}
	}
	ok = o.packGeneric(dst[min(whole*stride, len(dst)):], stride, x[4*whole:], &sums)
	return sums[0], sums[1], ok
}

// packGeneric adds Σ b² and Σ b to sums.
func (g *grid) packGeneric(dst []uint32, stride int, x []float64, sums *[2]int32) bool {
	for ; len(x) > 0; x = x[min(4, len(x)):] {
		var word uint32
		for k, v := range x[:min(4, len(x))] {
			b, ok := g.number(v)
			if !ok {
				return false
			}
			word |= uint32(b) << (8 * k)
			sums[0], sums[1] = sums[0]+b*b, sums[1]+b
		}
		dst[0] = word
		dst = dst[min(stride, len(dst)):]
	}
	return true
}

func (o *uint8Samples) panelCount() int { return (o.n + uint8Lanes - 1) / uint8Lanes }

func (o *uint8Samples) panelLen() int { return o.groups * uint8Lanes }

// reserve allocates the memory for the samples.
func (o *uint8Samples) reserve() {
	panels := o.panelCount()
	o.panels = make([]uint32, panels*o.panelLen())
	o.squares, o.sums = make([]int32, panels*uint8Lanes), make([]int32, panels*uint8Lanes)
	if o.ends = o.squares; o.inner {
		o.ends = make([]int32, panels*uint8Lanes)
	}
}

// end returns a query's term in fromDots.
func (o *uint8Samples) end(squares, sum int32) int32 {
	if o.inner {
		squares = 0
	}
	return squares - 2*uint8Offset()*sum
}

// at returns the place of the first four features of sample i.
func (o *uint8Samples) at(i int) int { return i/uint8Lanes*o.panelLen() + i%uint8Lanes }

// subset returns the samples idx, in that order.
func (o *uint8Samples) subset(idx []int) *uint8Samples {
	s := &uint8Samples{n: len(idx), d: o.d, groups: o.groups, grid: o.grid, offGrid: o.offGrid, inner: o.inner}
	s.reserve()
	for j, i := range idx {
		from, to := o.at(i), s.at(j)
		for g := range o.groups {
			s.panels[to+g*uint8Lanes] = o.panels[from+g*uint8Lanes]
		}
		s.squares[j], s.sums[j] = o.squares[i], o.sums[i]
	}
	if o.ones != nil {
		s.ones = o.ones.subset(s, idx)
	}
	return s
}

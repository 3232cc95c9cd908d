package centres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/internal/parallel"
)

const (
	cacheBytes  = 48 << 10 // features of a block, which tiles of few vectors pass over
	minBlock    = 32
	maxBlock    = 160
	partSamples = 512 // least number of samples in a part
	maxParts    = 16
)

// store holds the samples in the units of the exponent, z_k = √γ_k (x_k − mean_k), in blocks, feature by feature. After
// the features comes the row u_i = Σ_k w_k² z_ik²; with a free width per feature, the rows z_ik² follow. The last block
// is padded with zeros of weight 0.
type store struct {
	n, d, block int
	stride      int // distance of blocks in z
	z           []float64
	target      []float64 // block by block: Outputs×block
	weight      []float64
	rate, mean  []float64
	level       []int32 // block by block: coded features×block, see levels
	largest     float64 // largest u
}

// ErrRange is wrapped by the error for samples whose distances overflow.
var ErrRange = errors.New("distances overflow")

func blockOf(n, d int) int {
	largest := max(minBlock, min(cacheBytes/8/(d+1), maxBlock))
	blocks := max(1, (n+largest-1)/largest)
	return max(minBlock, ((n+blocks-1)/blocks+7)&^7)
}

func rowsOf(d int, widths Widths) int {
	if widths == Each {
		return 2*d + 1
	}
	return d + 1
}

func newStore(ctx context.Context, p *Problem) (*store, error) {
	s := &store{n: p.N, d: p.D, block: blockOf(p.N, p.D), rate: rates(p.Kernel, p.D), mean: make([]float64, p.D)}
	s.stride = rowsOf(p.D, p.Widths) * s.block
	blocks := s.blocks()
	s.z = make([]float64, blocks*s.stride)
	s.target = make([]float64, blocks*s.block*p.Outputs)
	s.weight = make([]float64, blocks*s.block*p.Outputs)
	for i := range p.N {
		for k, v := range p.X[i*p.D : (i+1)*p.D] {
			s.mean[k] += v / float64(p.N)
		}
	}
	if p.Levels != nil {
		s.level = make([]int32, blocks*s.block*len(p.Levels.Features))
		for _, k := range p.Levels.Features {
			s.mean[k] = 0
		}
	}
	largest := make([]float64, blocks)
	parallel.For(workers(p.Threads, p.N*p.D), blocks, func(_, b int) {
		if ctx.Err() == nil {
			largest[b] = s.pack(p, b)
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.largest = slices.Max(append(largest, 0))
	if !(s.largest <= 1e150) {
		return nil, fmt.Errorf("%w: γ times a squared distance is about %.3g; scale the features or lower γ",
			ErrRange, s.largest)
	}
	return s, nil
}

// workers is the number of goroutines for so many products; fewer are too short to share.
func workers(threads, products int) int {
	if products < 1<<16 {
		return 1
	}
	return parallel.Workers(threads)
}

// pack fills block b, and returns its largest u.
func (s *store) pack(p *Problem, b int) float64 {
	for i := b * s.block; i < min((b+1)*s.block, p.N); i++ {
		features := s.z[b*s.stride+i%s.block:]
		for k, v := range p.X[i*p.D : (i+1)*p.D] {
			features[k*s.block] = s.rate[k] * (v - s.mean[k])
		}
		for o := range p.Outputs {
			to := (b*p.Outputs+o)*s.block + i%s.block
			s.target[to], s.weight[to] = p.Target[o*p.N+i], p.Weight[o*p.N+i]
		}
	}
	s.code(p, b)
	return squares(s.z[b*s.stride:(b+1)*s.stride], s.d, s.block, p.Widths)
}

// squares fills the rows of a block that are computed from its features, for w = 1, and returns the largest u.
func squares(z []float64, d, block int, widths Widths) float64 {
	u := z[d*block : (d+1)*block]
	clear(u)
	for k := range d {
		for i, v := range z[k*block : (k+1)*block] {
			v *= v
			u[i] += v
			if widths == Each {
				z[(d+1+k)*block+i] = v
			}
		}
	}
	return slices.Max(u)
}

func (s *store) blocks() int { return (s.n + s.block - 1) / s.block }

// parts is the number of partial sums of a pass, and the number of blocks of each but the last.
func (s *store) parts() (n, each int) { return partsOf(s.n, s.block) }

func partsOf(samples, block int) (n, each int) {
	blocks := (samples + block - 1) / block
	n = max(1, min(samples/partSamples, maxParts))
	each = (blocks + n - 1) / n
	return (blocks + each - 1) / each, each
}

// inward converts samples x from the problem's units to the store's.
func (s *store) inward(dst, x []float64) {
	for i, v := range x {
		dst[i] = s.rate[i%s.d] * (v - s.mean[i%s.d])
	}
}

// outward is the inverse of inward; a feature of rate 0 gets its mean.
func (s *store) outward(dst, z []float64) {
	for i, v := range z {
		k := i % s.d
		dst[i] = s.mean[k]
		if s.rate[k] > 0 {
			dst[i] += v / s.rate[k]
		}
	}
}

package ref

// This file transcribes Kobayashi and Otsu (2009) literally: matrices are
// inverted anew wherever the paper writes an inverse. It is slow and imported by tests only.

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// ReduceStep is one removal.
type ReduceStep struct {
	Removed int       // index in the full set
	Gap     float64   // relative distance of the best two values of the criterion; +Inf when one vector is left
	Kept    []int     // what is left, ascending
	Coef    []float64 // its coefficients
}

// reduceSub returns the rows and columns of k that idx names.
func reduceSub(k mat.Symmetric, idx []int) *mat.SymDense {
	s := mat.NewSymDense(len(idx), nil)
	for a, i := range idx {
		for b, j := range idx[:a+1] {
			s.SetSym(a, b, k.At(i, j))
		}
	}
	return s
}

// reduceInverse returns (k+λI)⁻¹.
func reduceInverse(k *mat.SymDense, lambda float64) *mat.Dense {
	n := k.SymmetricDim()
	var a, h mat.Dense
	a.CloneFrom(k)
	for i := range n {
		a.Set(i, i, a.At(i, i)+lambda)
	}
	if err := h.Inverse(&a); err != nil {
		if _, ok := err.(mat.Condition); !ok {
			panic(err)
		}
	}
	return &h
}

// ReduceAlgorithm1 is the naive reduction: the vector of least ε_i, eq. (5), goes. With
// ridge, ε_i + λ‖β_i‖² takes the place of ε_i: then it chooses as Algorithm 2 does.
func ReduceAlgorithm1(k mat.Symmetric, alpha []float64, lambda float64, steps int, ridge bool) []ReduceStep {
	kept, coef := reduceAll(len(alpha)), slices.Clone(alpha)
	var out []ReduceStep
	for range steps {
		eps := make([]float64, len(kept))
		betas := make([]*mat.VecDense, len(kept))
		for p, i := range kept {
			others := slices.Delete(slices.Clone(kept), p, p+1)
			eps[p] = k.At(i, i)
			if len(others) == 0 {
				continue
			}
			col := mat.NewVecDense(len(others), nil)
			for a, j := range others {
				col.SetVec(a, k.At(i, j))
			}
			ks := reduceSub(k, others)
			beta := new(mat.VecDense)
			beta.MulVec(reduceInverse(ks, lambda), col)
			eps[p] += -2*mat.Dot(beta, col) + mat.Inner(beta, ks, beta)
			if ridge {
				eps[p] += lambda * mat.Dot(beta, beta)
			}
			betas[p] = beta
		}
		pos, gap := reduceLeast(eps)
		out = append(out, ReduceStep{Removed: kept[pos], Gap: gap})
		a := coef[pos]
		kept, coef = slices.Delete(slices.Clone(kept), pos, pos+1), slices.Delete(coef, pos, pos+1)
		for j := range coef {
			coef[j] += a * betas[pos].AtVec(j)
		}
		out[len(out)-1].Kept, out[len(out)-1].Coef = kept, slices.Clone(coef)
	}
	return out
}

// ReduceAlgorithm2 is the efficient reduction as printed, line 5 read as H_(i) − h_(i)h_(i)ᵀ/h_ii:
// the vector of largest h_ii goes, the first if equal.
func ReduceAlgorithm2(k *mat.SymDense, alpha []float64, lambda float64, steps int) []ReduceStep {
	kept, coef := reduceAll(len(alpha)), slices.Clone(alpha)
	h := reduceInverse(k, lambda)
	var out []ReduceStep
	for range steps {
		n := len(kept)
		neg := make([]float64, n)
		for i := range n {
			neg[i] = -h.At(i, i)
		}
		pos, gap := reduceLeast(neg)
		left := slices.Delete(reduceAll(n), pos, pos+1)
		var next *mat.Dense
		if n > 1 {
			next = mat.NewDense(n-1, n-1, nil)
		}
		hii := h.At(pos, pos)
		for a, i := range left {
			coef[i] -= coef[pos] * h.At(i, pos) / hii
			for b, j := range left {
				next.Set(a, b, h.At(i, j)-h.At(i, pos)*h.At(pos, j)/hii)
			}
		}
		h = next
		removed := kept[pos]
		kept, coef = slices.Delete(slices.Clone(kept), pos, pos+1), slices.Delete(coef, pos, pos+1)
		out = append(out, ReduceStep{Removed: removed, Gap: gap, Kept: kept, Coef: slices.Clone(coef)})
	}
	return out
}

// ReduceHinge is eq. (9): k is N×S, g the labels.
func ReduceHinge(k [][]float64, coef []float64, bias float64, g []float64) float64 {
	var sum float64
	for i, row := range k {
		y := bias
		for s, c := range coef {
			y += c * row[s]
		}
		sum += math.Max(0, 1-g[i]*y)
	}
	return sum / float64(len(k))
}

func reduceAll(n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	return idx
}

// reduceLeast returns the place of the smallest value, the first if equal, and how far the second is, relative to it.
func reduceLeast(v []float64) (pos int, gap float64) {
	gap = math.Inf(1)
	for i := range v {
		if v[i] < v[pos] {
			pos = i
		}
	}
	for i := range v {
		if i != pos {
			gap = math.Min(gap, (v[i]-v[pos])/math.Max(math.Abs(v[pos]), 1e-300))
		}
	}
	return pos, gap
}

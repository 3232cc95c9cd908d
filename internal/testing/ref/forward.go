package ref

// This file transcribes Suykens et al. (2000) and Abe (2008) literally:
// every candidate's Q_W is formed and factored anew, every leave-one-out model
// is refitted. It is slow and imported by tests only.

import (
	"math"
	"math/big"
)

// LSSVMStep is one step of [Forward].
type LSSVMStep struct {
	Chosen   int
	J        float64 // J_opt of eq. (16) with the chosen point
	RunnerUp float64 // the second best J_opt, 0 when there is no second candidate
}

// LSSVMForward is the selection of Abe (2008), section 3.4: k is the M×M kernel
// matrix, y the labels, eta η_L, singular the largest pivot of Q_W + εI, (15), that counts
// as 0.
func LSSVMForward(k [][]float64, y []float64, eta, singular, epsilon float64) []LSSVMStep {
	sc := lssvmNewScatter(k, y)
	for j := range y {
		sc.qw[j][j].Add(sc.qw[j][j], lssvmNum(epsilon))
	}
	alive := make([]bool, len(y))
	for j := range alive {
		alive[j] = true
	}
	var chosen []int
	var steps []LSSVMStep
	old := 0.0
	for {
		best, top, second := -1, 0.0, 0.0
		for j := range y {
			if !alive[j] {
				continue
			}
			obj, ok := sc.separation(append(chosen[:len(chosen):len(chosen)], j), singular)
			switch {
			case !ok:
				alive[j] = false
			case best < 0 || obj > top:
				best, top, second = j, obj, top
			case obj > second:
				second = obj
			}
		}
		if best < 0 || (top-old)/top < eta {
			return steps
		}
		steps = append(steps, LSSVMStep{best, top, second})
		chosen = append(chosen, best)
		alive[best] = false
		old = top
	}
}

// lssvmScatter holds Q_W, eq. (10), and c1 − c2, eq. (9), with every sample selected;
// those of a selection are its rows and columns. A Q_W with pivots near the
// threshold costs float64 half its digits, so they have 160 bits.
type lssvmScatter struct {
	qw   [][]*big.Float
	diff []*big.Float
}

func lssvmNewScatter(k [][]float64, y []float64) *lssvmScatter {
	n, m := len(y), lssvmNum(float64(len(y)))
	sc := &lssvmScatter{qw: make([][]*big.Float, n), diff: lssvmVector(n)}
	m1, m2 := lssvmNum(0), lssvmNum(0)
	for _, label := range y {
		if label > 0 {
			m1.Add(m1, lssvmNum(1))
		} else {
			m2.Add(m2, lssvmNum(1))
		}
	}
	centred := make([][]*big.Float, n)
	for p := range n {
		c1, c2 := lssvmNum(0), lssvmNum(0)
		for i, label := range y {
			if label > 0 {
				c1.Add(c1, lssvmNum(k[i][p]))
			} else {
				c2.Add(c2, lssvmNum(k[i][p]))
			}
		}
		c := lssvmNum(0).Quo(lssvmNum(0).Add(c1, c2), m) // (M1 c1 + M2 c2)/(M1 + M2)
		sc.diff[p].Sub(c1.Quo(c1, m1), c2.Quo(c2, m2))
		centred[p] = lssvmVector(n)
		for i := range y {
			centred[p][i].Sub(lssvmNum(k[i][p]), c)
		}
	}
	for a := range n {
		sc.qw[a] = lssvmVector(n)
		for b := range a + 1 {
			for i := range y {
				sc.qw[a][b].Add(sc.qw[a][b], lssvmNum(0).Mul(centred[a][i], centred[b][i]))
			}
			sc.qw[a][b].Quo(sc.qw[a][b], m)
			sc.qw[b][a] = sc.qw[a][b]
		}
	}
	return sc
}

// separation is J_opt = (c1−c2)'Q_W⁻¹(c1−c2), eq. (14) and (16), for the samples
// s; ok is false when Q_W is singular. With Q_W = L L' and L z = c1 − c2 it is z'z.
func (sc *lssvmScatter) separation(s []int, singular float64) (j float64, ok bool) {
	l, z, obj := make([][]*big.Float, len(s)), lssvmVector(len(s)), lssvmNum(0)
	for a, p := range s {
		l[a] = lssvmVector(a + 1)
		for b, q := range s[:a+1] {
			v := l[a][b].Set(sc.qw[p][q])
			for t := range b {
				v.Sub(v, lssvmNum(0).Mul(l[a][t], l[b][t]))
			}
			if b < a {
				v.Quo(v, l[b][b])
			}
		}
		pivot := l[a][a]
		if pivot.Cmp(lssvmNum(singular)) <= 0 {
			return 0, false
		}
		pivot.Sqrt(pivot)
		z[a].Set(sc.diff[p])
		for t := range a {
			z[a].Sub(z[a], lssvmNum(0).Mul(l[a][t], z[t]))
		}
		z[a].Quo(z[a], pivot)
		obj.Add(obj, lssvmNum(0).Mul(z[a], z[a]))
	}
	j, _ = obj.Float64()
	return j, true
}

func lssvmNum(v float64) *big.Float { return big.NewFloat(v).SetPrec(160) }

func lssvmVector(n int) []*big.Float {
	v := make([]*big.Float, n)
	for i := range v {
		v[i] = lssvmNum(0)
	}
	return v
}

// LSSVMSolve solves A x = b for a symmetric positive definite A by Cholesky
// factorisation; pivot is the smallest (squared) pivot, and x is nil when it is not positive.
func LSSVMSolve(a [][]float64, b []float64) (x []float64, pivot float64) {
	n := len(b)
	l := make([][]float64, n)
	pivot = math.Inf(1)
	for i := range l {
		l[i] = make([]float64, n)
		for j := 0; j <= i; j++ {
			s := a[i][j]
			for k := range j {
				s -= l[i][k] * l[j][k]
			}
			if j < i {
				l[i][j] = s / l[j][j]
				continue
			}
			pivot = math.Min(pivot, s)
			if s <= 0 {
				return nil, s
			}
			l[i][i] = math.Sqrt(s)
		}
	}
	x = append([]float64(nil), b...)
	for i := range x {
		for k := range i {
			x[i] -= l[i][k] * x[k]
		}
		x[i] /= l[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= l[k][i] * x[k]
		}
		x[i] /= l[i][i]
	}
	return x, pivot
}

package model

import "math"

// coupling computes probabilities of k classes from probabilities of pairs.
type coupling struct {
	k int
	r []float64 // k×k: r[s·k+t] is the probability of s given that the class is s or t
	q []float64 // k×k, lower triangle
}

func newCoupling(k int) *coupling { return &coupling{k, make([]float64, k*k), make([]float64, k*k)} }

// leastPair is LIBSVM's lower bound on the probability of a pair's class.
const leastPair = 1e-7

// set stores the probability of class s given that the class is s or t.
func (c *coupling) set(s, t int, p float64) {
	p = min(max(p, leastPair), 1-leastPair)
	c.r[s*c.k+t], c.r[t*c.k+s] = p, 1-p
}

// solve writes the probabilities that minimise ½ Σ_s Σ_{t≠s} (r_ts p_s − r_st p_t)² = ½ pᵀQp subject to eᵀp = 1
// (T.-F. Wu, C.-J. Lin, R. C. Weng: Probability estimates for multi-class classification by pairwise coupling,
// JMLR 5, 2004, second method). They show that no p is negative at the minimum, so Qp + b e = 0 with eᵀp = 1 is the
// whole condition. Q is positive semidefinite, and singular if the pairs agree with one another. Q + e eᵀ is positive
// definite, and (Q + e eᵀ) p = (1 − b) e has the same solution up to a factor.
func (c *coupling) solve(p []float64) {
	k, q := c.k, c.q
	for s := range k {
		diagonal := 0.0
		for t := range k {
			if t != s {
				diagonal += c.r[t*k+s] * c.r[t*k+s]
				q[s*k+t] = 1 - c.r[t*k+s]*c.r[s*k+t]
			}
		}
		q[s*k+s] = 1 + diagonal
		p[s] = 1
	}
	for s := range k { // Cholesky's factor, and forward through it
		for t := range s + 1 {
			v := q[s*k+t]
			for i := range t {
				v -= q[s*k+i] * q[t*k+i]
			}
			if t < s {
				q[s*k+t] = v / q[t*k+t]
			} else {
				q[s*k+s] = math.Sqrt(v)
			}
		}
		for i := range s {
			p[s] -= q[s*k+i] * p[i]
		}
		p[s] /= q[s*k+s]
	}
	sum := 0.0
	for s := k - 1; s >= 0; s-- {
		for i := s + 1; i < k; i++ {
			p[s] -= q[i*k+s] * p[i]
		}
		p[s] /= q[s*k+s]
	}
	for s, v := range p { // rounding may leave a class without a chance below 0
		p[s] = max(v, 0)
		sum += p[s]
	}
	for s := range p {
		p[s] /= sum
	}
}

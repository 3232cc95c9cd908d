package gram

import "math"

// Laplacian is exp(−γ‖x−z‖₁), where ‖·‖₁ is the sum of the absolute values.
//
// The error |computed − exact| is at most (d+8)·u in float64. In float32 the samples are moved by their middle c, and
// the bound is (d+8)·u + 4u·γ·max‖x−c‖₁. Here u is the unit roundoff.
func Laplacian(gamma float64) Kernel { return Kernel{Kind: KindLaplacian, Gamma: gamma} }

func differences(_ Kernel, x, z []float64) float64 {
	var s float64
	for i, v := range x {
		s += math.Abs(v - z[i])
	}
	return s
}

// differences4 is sums4 for the form absolute.
func differences4[T Float](q []T, qs int, x []T, k int) (s0, s1, s2, s3 T) {
	l := lanes[T]()
	for i := range k {
		v, z := q[i*qs], x[i*l:][:4:4]
		s0, s1, s2, s3 = s0+distance(z[0], v), s1+distance(z[1], v), s2+distance(z[2], v), s3+distance(z[3], v)
	}
	return s0, s1, s2, s3
}

func distance[T Float](x, z T) T { return max(x-z, z-x) }

package gram

// Spline is Vapnik's linear spline with infinitely many knots: the product over the features, scaled to [0, 1], of
// 1 + xz + ∫ (x − t)₊(z − t)₊ dt over t ≥ 0. That is 1 + xz + xz·m − (x+z)/2·m² + m³/3 with m = min(x, z), which has
// no parameter. The knots go on beyond 1. Below 0 there are none: m is 0 then, and the factor 1 + xz. So the kernel is
// positive semidefinite for all features, but values grow with the cube of each.
func Spline() Kernel { return Kernel{Kind: KindSpline} }

func splines(_ Kernel, x, z []float64) float64 {
	k := 1.0
	for i, v := range x {
		w := z[i]
		m := max(0, min(v, w))
		k *= 1 + v*w + m*(v*w-m*((v+w)/2-m/3))
	}
	return k
}

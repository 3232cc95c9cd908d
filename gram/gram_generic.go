package gram

import "github.com/sparsekm/sparsekm/internal/cpu"

// The portable kernels are compiled on every host. They are the reference for the assembly, and the fallback without
// it.

// tileGeneric combines query samples with panels of packed samples:
//
//	out[r·ldo + p·lanes + l] = Σ_i STEP(q[i·qs + r], x[p·xs + i·lanes + l]),  0 ≤ i < k
//
// STEP depends on the form: (x−q)² for square, q·x for inner products and |x−q| for absolute. Fused multiply-adds add
// the terms in the order of i. Strides count elements.
func tileGeneric[T Float](f form, out []T, ldo int, q []T, qs, rows int, x []T, xs, k, panels int) {
	l := lanes[T]()
	for r := range rows {
		for p := range panels {
			acc := out[r*ldo+p*l : r*ldo+(p+1)*l]
			for j := 0; j < l; j += 4 {
				acc[j], acc[j+1], acc[j+2], acc[j+3] = sums4(f, q[min(r, len(q)):], qs, x[min(p*xs+j, len(x)):], k)
			}
		}
	}
}

func squares4[T Float](q []T, qs int, x []T, k int) (s0, s1, s2, s3 T) {
	l := lanes[T]()
	for i := range k {
		v, z := q[i*qs], x[i*l:][:4:4]
		t0, t1, t2, t3 := z[0]-v, z[1]-v, z[2]-v, z[3]-v
		s0, s1, s2, s3 = fused(t0, t0, s0), fused(t1, t1, s1), fused(t2, t2, s2), fused(t3, t3, s3)
	}
	return s0, s1, s2, s3
}

func products4[T Float](q []T, qs int, x []T, k int) (s0, s1, s2, s3 T) {
	l := lanes[T]()
	for i := range k {
		v, z := q[i*qs], x[i*l:][:4:4]
		s0, s1, s2, s3 = fused(v, z[0], s0), fused(v, z[1], s1), fused(v, z[2], s2), fused(v, z[3], s3)
	}
	return s0, s1, s2, s3
}

// fused returns x·y + z. It rounds once if the host has the instruction and T is float64; for float32 see fma32.
func fused[T Float](x, y, z T) T {
	if lanes[T]() == 16 {
		return T(fma32(float32(x), float32(y), float32(z)))
	}
	return T(cpu.MulAdd(float64(x), float64(y), float64(z)))
}

// expGeneric writes e^(scale·src[i]) to dst[i].
func expGeneric[T Float](dst, src []T, scale T) {
	if lanes[T]() == lanes[float32]() {
		expGeneric32(as[float32](dst), as[float32](src), float32(scale))
	} else {
		expGeneric64(as[float64](dst), as[float64](src), float64(scale))
	}
}

// normSquared returns Σ x_k² over x[0], x[stride], ..., added in the order of a tile.
func normSquared[T Float](x []T, stride, d int) (s T) {
	for k := range d {
		s = fused(x[k*stride], x[k*stride], s)
	}
	return s
}

// distancesGeneric turns the inner products src into squared distances, max(0, ‖q‖² + ‖z‖² − 2 qᵀz).
func distancesGeneric[T Float](dst, src, zn []T, qn T) {
	for j, v := range src {
		dst[j] = max(0, (qn+zn[j])-2*v)
	}
}

// weighGeneric adds k·c, element by element, to the partial sums of sumPanels panels. Element j goes to sums[j mod
// len(sums)], so every call but the last must pass a multiple of len(sums) elements.
func weighGeneric[T Float](sums, k, c []T) {
	for len(k) > 0 {
		n := min(len(sums), len(k))
		for i, v := range k[:n] {
			sums[i] = fused(v, c[i], sums[i])
		}
		k, c = k[n:], c[n:]
	}
}

// total adds one group of partial sums: the upper half to the lower half, until one number is left. Registers of any
// width can add in this order.
func total[T Float](sums []T) float64 {
	var s [sumPanels * panelWidth / 8]float64 // half of the largest group
	n := len(sums) / 2
	low, high := sums[:n:n], sums[n:2*n]
	for i, v := range low {
		s[i] = float64(v) + float64(high[i])
	}
	for n /= 2; n > 0; n /= 2 {
		for i := range n {
			s[i] += s[n+i]
		}
	}
	return s[0]
}

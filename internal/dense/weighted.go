package dense

import "context"

// Strip is the number of columns that [MulWeighted] processes at a time.
const Strip = 128

// MulWeighted writes A diag(b) Aᵀ to the lower triangle of h, and clears the rest. h is m×m, A is m×n, and scratch has
// m·[Strip] elements. It returns ctx's error.
func MulWeighted(ctx context.Context, threads int, h, a []float64, m, n int, b, scratch []float64) error {
	for j := range m {
		if j%64 == 0 && ctx.Err() != nil { // memory that nobody has written yet comes page by page
			return ctx.Err()
		}
		clear(h[j*m : (j+1)*m])
	}
	for lo := 0; lo < n; lo += Strip {
		hi := min(lo+Strip, n)
		k := hi - lo
		for j := range m {
			row, dst := a[j*n+lo:j*n+hi], scratch[j*k:(j+1)*k]
			for i, v := range row {
				dst[i] = v * b[lo+i]
			}
		}
		part := Of(a, m, n, n).Sub(0, m, lo, hi)
		if err := MulLower(ctx, threads, 1, Of(scratch, m, k, k), part.T(), Of(h, m, m, m)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

//go:build purego || !(amd64 || arm64)

package gram

func maxRows() int { return 8 }

func combine[T Float](f form, out []T, ldo int, q []T, qs, rows int, x []T, xs, k, panels int) {
	tileGeneric(f, out, ldo, q, qs, rows, x, xs, k, panels)
}

func expScaled[T Float](dst, src []T, scale T) { expGeneric(dst, src, scale) }

func weigh[T Float](sums, k, c []T) { weighGeneric(sums, k, c) }

//go:build purego || !amd64

package gram

func canSkip() bool { return false }

func skipDot[T Float](out []T, ldo int, q []T, offset []uint32, x []T, xs, panels int) {
	panic("gram: no tile that skips features")
}

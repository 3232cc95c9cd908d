package gram

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Matrices have the bits of rows in both halves, and nothing around them changes: small and large ones, whose stores go
// through the caches or not, with rows and starts anywhere in a cache line.
func TestFullAnywhere(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { testFullAnywhere[float64](t) })
		t.Run("float32", func(t *testing.T) { testFullAnywhere[float32](t) })
	})
}

func testFullAnywhere[T Float](t *testing.T) {
	least := streamMin
	defer func() { streamMin = least }()
	sizes := []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 95, 96, 97, 100, 192, 193, 203}
	for _, k := range []struct {
		Kernel
		d int
	}{{RBF(0.5), 1}, {RBF(40), 7}, {RBF(0.2), 40}, {RBF(0.001), fuseFeatures}, {RBF(0.001), fuseFeatures + 1},
		{Linear(), 400}, {Laplacian(0.2), 3}} {
		for _, n := range sizes {
			if testing.Short() && n > 17 && n%96 != 1 {
				continue
			}
			p := Pack[T](k.Kernel, points(n, k.d), n, k.d)
			rows := make([]T, n*n)
			for i := range n {
				p.Row(rows[i*n:][:n], i)
			}
			for _, streamMin = range []int{0, least} {
				whole := Stride[T](n) - n
				for _, at := range [][2]int{{0, 0}, {0, 1}, {1, lanes[T]()/2 + 1}, {whole, 0}, {whole, 3}, {whole + 5, 0}} {
					name := fmt.Sprintf("%v of %d features, n=%d, ld=n+%d, %d off, streams from %d", k.Kind, k.d, n, at[0],
						at[1], streamMin)
					testFullAt(t, name, p, rows, n+at[0], at[1])
				}
			}
		}
	}
}

// testFullAt holds a matrix whose rows are ld apart, and which begins skip elements after a cache line, against rows.
func testFullAt[T Float](t *testing.T, name string, p *Samples[T], rows []T, ld, skip int) {
	t.Helper()
	const guard = 0.123
	n, before := p.Len(), 2*lanes[T]()+skip
	room := Aligned[T](before + n*ld + 2*lanes[T]())
	for i := range room {
		room[i] = guard
	}
	want := slices.Clone(room)
	for i := range n {
		copy(want[before+i*ld:], rows[i*n:][:n])
	}
	dst := room[before:][:max(0, (n-1)*ld+n)]
	if p.Full(dst, ld); !slices.Equal(room, want) {
		t.Fatalf("%T, %s: %s", guard, name, difference(room, want, before, ld))
	}
	clear(dst)
	for i := range n {
		for j := n; j < ld && i < n-1; j++ {
			dst[i*ld+j] = guard
		}
	}
	for b := range p.FullBlocks() {
		p.FullBlock(dst, ld, (b+1)%p.FullBlocks())
	}
	if !slices.Equal(room, want) {
		t.Fatalf("%T, %s, in parts: %s", guard, name, difference(room, want, before, ld))
	}
}

func difference[T Float](got, want []T, before, ld int) string {
	i := 0
	for got[i] == want[i] {
		i++
	}
	return fmt.Sprintf("element %d of row %d is %v, want %v", (i-before)%ld, (i-before)/ld, got[i], want[i])
}

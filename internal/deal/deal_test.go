package deal

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func drawn() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// TestLone: every training has the only sample of a class, and the group that has both of two.
func TestLone(t *testing.T) {
	class := []int{0, 0, 1, 2, 2, 0, 3, 3}
	for _, c := range []struct{ group, want string }{
		{"", "00100000"}, {"abcdeabf", "00100000"}, {"abcddabf", "00111000"}, {"abaddabf", "10111100"},
	} {
		var group []string
		if c.group != "" {
			group = strings.Split(c.group, "")
		}
		found := ""
		for _, l := range Lone(class, group) {
			found += map[bool]string{true: "1", false: "0"}[l]
		}
		if found != c.want {
			t.Errorf("groups %q: %s, want %s", c.group, found, c.want)
		}
	}
	if l := Lone([]int{0, 0, 1, 1}, nil); l != nil {
		t.Errorf("classes of two: %v", l)
	}
	in, out := Keep([]bool{true, false, false, true}, []int{1}, []int{0, 2, 3})
	if !slices.Equal(in, []int{0, 1, 3}) || !slices.Equal(out, []int{2}) {
		t.Errorf("train %v, test %v", in, out)
	}
}

// TestFair: folds differ by one point at most and have the classes in proportion, or divide no group; there are none
// where a training would lack a class.
func TestFair(t *testing.T) {
	class, group := make([]int, 103), make([]int, 103)
	for i := range class {
		class[i], group[i] = min(2, i%5), i*i%17
	}
	fold := Fair(class, 3, nil, 4, drawn())
	size, of := make([]int, 4), make([][3]int, 4)
	for i, f := range fold {
		size[f]++
		of[f][class[i]]++
	}
	if len(fold) != 103 || slices.Max(size)-slices.Min(size) > 1 {
		t.Errorf("sizes %v", size)
	}
	for f := range of {
		if of[f][0] < 5 || of[f][0] > 6 || of[f][2] < 15 || of[f][2] > 16 { // of 21 and 61
			t.Errorf("fold %d has %v of the classes", f, of[f])
		}
	}
	fold = Fair(class, 3, group, 4, drawn())
	where := make(map[int]int)
	for i, g := range group {
		if f, ok := where[g]; ok && f != fold[i] {
			t.Fatalf("group %d is divided", g)
		}
		where[g] = fold[i]
	}
	if slices.Max(fold) != 3 {
		t.Errorf("%d folds", slices.Max(fold)+1)
	}
	in, out := Parts(fold, 2)
	for _, i := range out {
		if fold[i] != 2 {
			t.Errorf("sample %d is in fold %d", i, fold[i])
		}
	}
	if len(in)+len(out) != 103 || !slices.IsSorted(in) || len(out) == 0 {
		t.Errorf("%d and %d samples", len(in), len(out))
	}
	two := []int{0, 0, 0, 0, 1, 1}
	for name, none := range map[string][]int{
		"two samples in three folds":  Fair(two, 2, nil, 3, drawn()),
		"one group":                   Fair(two, 2, make([]int, 6), 3, drawn()),
		"a class in one group":        Fair(two, 2, []int{0, 1, 2, 3, 4, 4}, 3, drawn()),
		"a class without any samples": Fair(two, 3, []int{0, 1, 2, 3, 4, 5}, 3, drawn()),
	} {
		if none != nil {
			t.Errorf("%s: folds %v", name, none)
		}
	}
	if fold := Fair(two, 2, []int{7, 9, 7, 9, 7, 9}, 3, drawn()); fold == nil || slices.Max(fold) != 1 {
		t.Errorf("two groups: folds %v", fold)
	}
}

// TestNth: an element by rank is that of the sorted numbers, with repetitions too.
func TestNth(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for range 2000 {
		x := make([]float64, 1+rng.IntN(30))
		for i := range x {
			x[i] = float64(rng.IntN(1 + rng.IntN(20)))
		}
		sorted, k := slices.Sorted(slices.Values(x)), rng.IntN(len(x))
		if given := slices.Clone(x); Nth(x, k) != sorted[k] {
			t.Fatalf("element %d of %v: found %v", k, given, Nth(x, k))
		}
	}
}

// Elements are in order; what compares equal keeps its order.
func TestSort(t *testing.T) {
	type pair struct{ key, place int }
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 2, 50} {
		x := make([]pair, n)
		for i := range x {
			x[i] = pair{rng.IntN(5), i}
		}
		Sort(x, func(a, b pair) int { return b.key - a.key })
		for i := 1; i < n; i++ {
			if a, b := x[i-1], x[i]; a.key < b.key || a.key == b.key && a.place > b.place {
				t.Fatalf("%v before %v", a, b)
			}
		}
	}
}

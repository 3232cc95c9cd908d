package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSteadyRows reads rows that name every feature, and one that does not at some place: what is read is what a map
// of each line's pairs has, and so is the kind of set.
func TestSteadyRows(t *testing.T) {
	odd := map[string]string{
		"as the others": "1:1 2:2 3:3", "blanks": " 1:1   2:2 3:3 ", "tabs": "1:1\t2:2\t3:3", "exponents": "1:1e-3 2:2E2 3:.5",
		"-0": "1:-0 2:-0.0 3:0", "one missing": "1:1 3:3", "the last missing": "1:1 2:2", "one more": "1:1 2:2 3:3 4:4", "nothing": "",
		"a comment": "1:1 2:2 3:3 # 4:4", "a comment early": "1:1 # 2:2", "qid": "qid:7 1:1 2:2 3:3", "apart": "1: 1 2:2 3:3",
		"a sign": "+1:1 2:+2 3:3", "19 digits": "1:1.123456789012345678 2:2 3:12345678901234567890",
	}
	for name, pairs := range odd {
		for _, pos := range []int{0, 1, 2, 30} {
			for _, o := range []Options{{}, {KeepNarrow: true}, {Features: 4}, {Features: 3, IgnoreExtra: true}} {
				for _, end := range []string{"\n", "\r\n"} {
					steadyRows(t, fmt.Sprintf("%s, row %d, %+v", name, pos, o), pairs, pos, o, end)
				}
			}
		}
	}
}

func steadyRows(t *testing.T, name, pairs string, pos int, o Options, end string) {
	t.Helper()
	var b strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 31
	want := make([][4]float64, n)
	for i := range n {
		line := pairs
		if i != pos {
			line = fmt.Sprintf("1:%v 2:%v 3:%v", rng.NormFloat64(), float64(rng.IntN(3)), rng.NormFloat64())
		}
		line, _, _ = strings.Cut(line, "#")
		for _, pair := range strings.Fields(strings.ReplaceAll(line, ": ", ":")) {
			var k int
			var v float64
			if _, err := fmt.Sscanf(pair, "%d:%g", &k, &v); err == nil {
				want[i][k-1] = v + 0
			}
		}
		fmt.Fprintf(&b, "%d %s%s", i%2, line, end)
	}
	s, err := readLIBSVM(strings.NewReader(strings.TrimSuffix(b.String(), end)), "f", o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if s.N != n || s.Sparse != nil || s.D < 3 || s.D > 4 || o.Features > 0 && s.D != o.Features {
		t.Fatalf("%s: %d samples of %d features, sparse %v", name, s.N, s.D, s.Sparse != nil)
	}
	for i, row := range want {
		for k := range s.D {
			if got := s.X[i*s.D+k]; math.Float64bits(got) != math.Float64bits(row[k]) {
				t.Fatalf("%s: row %d, feature %d is %v, want %v", name, i, k, got, row[k])
			}
		}
	}
	fourth := slices.ContainsFunc(want, func(r [4]float64) bool { return r[3] != 0 })
	if o.Features == 0 && (s.D == 4) != fourth {
		t.Errorf("%s: %d features", name, s.D)
	}
}

// Zeros that a file writes are zeros to the choice of sparse rows.
func TestSteadyZeros(t *testing.T) {
	row := "1 1:1" + strings.Repeat(" %d:0", 19) + "\n"
	var index []any
	for k := range 19 {
		index = append(index, k+2)
	}
	text := strings.Repeat("1"+strings.TrimPrefix(fmt.Sprintf(row, index...), "1"), 50) + "2 1:1\n"
	s, err := readLIBSVM(strings.NewReader(text), "f", Options{KeepNarrow: true})
	if err != nil || s.Sparse == nil || len(s.Sparse.Value) != 51 {
		t.Errorf("%v, %+v", err, s)
	}
}

// A bad pair is found where it is, and what came before is not lost.
func TestSteadyErrors(t *testing.T) {
	good := strings.Repeat("1 1:1 2:2 3:3\n", 5)
	for bad, want := range map[string]string{
		"1 1:1 2:x 3:3\n": "f:6:9: found x", "1 1:1 1:2 3:3\n": "f:6:7: found index 1 twice", "1 1:1 2 3:3\n": "f:6:7: found 2",
		"1 1:1 0:2 3:3\n": "f:6:7: found index 0", "1 1:1 2:2 3:nan\n": "f:6:13: found nan", "1 1:1 2:2 3:\n": "f:6:13: found nothing",
	} {
		_, err := readLIBSVM(strings.NewReader(good+bad+good), "f", Options{})
		var at *Error
		if !errors.As(err, &at) || !strings.HasPrefix(strings.ReplaceAll(err.Error(), `"`, ""), want) {
			t.Errorf("%q: %v, want %s", bad, err, want)
		}
	}
}

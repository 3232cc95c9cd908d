package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wideText is n rows of LIBSVM text of up to 20 of 6000 features, and what errors may say of none of them.
func wideText(n int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d", i%3)
		pos := 0
		for range rng.IntN(20) {
			if pos += 1 + rng.IntN(300); pos <= 6000 {
				fmt.Fprintf(&b, " %d:%v", pos, rng.NormFloat64())
			}
		}
		if i == 2 {
			b.WriteString(" 6000:0") // named and 0
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestKeepSparse reads the same samples with every zero stored and without.
func TestKeepSparse(t *testing.T) {
	text := wideText(60)
	thick, err := readLIBSVM(strings.NewReader(text), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	thin, err := readLIBSVM(strings.NewReader(text), "f", Options{KeepSparse: true})
	if err != nil {
		t.Fatal(err)
	}
	if thin.Sparse == nil || thin.X != nil || thin.Validate() != nil || thin.Bytes() > thick.Bytes()/20 {
		t.Fatalf("not sparse, or %v; %d bytes for %d", thin.Validate(), thin.Bytes(), thick.Bytes())
	}
	same := func(what string, thin, thick *Set) {
		t.Helper()
		whole, err := thin.Dense(1 << 30)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(thick, whole) { // cmp walks 360,000 zeros, a second a time
			t.Errorf("%s:\n%s", what, cmp.Diff(thick, whole))
		}
	}
	same("all", thin, thick)
	rows := []int{7, 2, 7, 59}
	same("a subset", thin.Subset(rows), thick.Subset(rows))
	same("wider", thin.Widen(7000), thick.Widen(7000))
	var a, b bytes.Buffer
	if err := thin.WriteLIBSVM(&a); err != nil || thick.WriteLIBSVM(&b) != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("written differently", err)
	}
	for i := range thin.N {
		if !slices.Equal(thin.Row(i), thick.Row(i)) {
			t.Fatalf("row %d differs", i)
		}
	}
	for _, kind := range []ScaleKind{ScaleZ, ScaleMinMax, ScaleFloored} {
		scaling, err := Fit(context.Background(), thin, kind)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Fit(context.Background(), thick, kind)
		if err != nil || !reflect.DeepEqual(scaling, want) {
			t.Fatalf("%v: another scaling, %v", kind, err)
		}
		if !reflect.DeepEqual(scaling.Apply(thin), want.Apply(thick)) || thin.Sparse == nil {
			t.Errorf("%v: scaled differently", kind)
		}
	}
	if kind, _, err := AutoScale(context.Background(), thin); kind != ScaleNone || err != nil {
		t.Errorf("scaled by %v, %v", kind, err)
	}
	if _, err := thin.Dense(8 * 60 * 6000); err == nil { // and 8 bytes a sample for its class
		t.Error("more than the limit")
	}
}

// TestKeepSparseLimits: few features, or many that are not 0, are stored; a set that does not fit is an error as ever.
func TestKeepSparseLimits(t *testing.T) {
	var full strings.Builder
	for i := range 3 {
		fmt.Fprint(&full, i)
		for k := range 5000 {
			if k%4 == 0 {
				fmt.Fprintf(&full, " %d:1", k+1)
			}
		}
		full.WriteByte('\n')
	}
	for what, text := range map[string]string{"4096 features": "1 4096:1\n2 1:1\n", "a quarter of them": full.String()} {
		s, err := readLIBSVM(strings.NewReader(text), "f", Options{KeepSparse: true})
		if err != nil || s.Sparse != nil || len(s.X) != s.N*s.D {
			t.Errorf("%s: %v", what, err)
		}
	}
	if s, err := readLIBSVM(strings.NewReader("1 4097:1\n2 1:1\n"), "f", Options{KeepSparse: true}); err != nil || s.Sparse == nil {
		t.Error("4097 features are stored", err)
	}
	if s, err := readLIBSVM(strings.NewReader("1 3:1\n2 1:1\n"), "f", Options{KeepSparse: true, Width: 5000}); err != nil ||
		s.Sparse == nil {
		t.Error("samples for a model of 5000 features are stored", err)
	}
	for _, text := range []string{"1 3:1\n2 1:1\n", "1 1:1\n2 9:1\n1 9:1 9:1\n", "1 1:x\n", "1 1:1 2:1\n2 1:3\n", ""} {
		s, err := readLIBSVM(strings.NewReader(text), "f", Options{KeepNarrow: true})
		want, wrong := readLIBSVM(strings.NewReader(text), "f", Options{})
		if fmt.Sprint(err) != fmt.Sprint(wrong) {
			t.Errorf("%q: %v, want %v", text, err, wrong)
		}
		if err == nil && (s.Sparse != nil || !cmp.Equal(s, want)) {
			t.Errorf("%q: many features are not 0, and the samples stay sparse", text)
		}
	}
	narrow := strings.Repeat("1 1:1 8:2\n-1 40:31\n", 30)
	thin, err := readLIBSVM(strings.NewReader(narrow), "f", Options{KeepNarrow: true})
	if err != nil || thin.Sparse == nil {
		t.Fatal("few features are stored", err)
	}
	thick, err := readLIBSVM(strings.NewReader(narrow), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	kind, why, err := AutoScale(context.Background(), thin)
	wantKind, wantWhy, wrong := AutoScale(context.Background(), thick)
	if kind != wantKind || why != wantWhy || kind != ScaleZ || err != nil || wrong != nil {
		t.Errorf("scaled by %v for %v, want %v for %v; %v %v", kind, why, wantKind, wantWhy, err, wrong)
	}
	big := "1 2000000000:1\n2 1:1\n"
	for _, o := range []Options{{}, {KeepSparse: true}} {
		if _, err := readLIBSVM(strings.NewReader(big), "f", o); err == nil ||
			!strings.Contains(err.Error(), "2000000000 features") {
			t.Errorf("%v: %v", o.KeepSparse, err)
		}
	}
	long := strings.Repeat("1 1:1 9000:1\n", 3000)
	if _, err := readLIBSVM(strings.NewReader(long), "f", Options{KeepSparse: true, MaxBytes: 1 << 16}); err == nil {
		t.Error("more than the budget")
	}
	if _, err := readLIBSVM(strings.NewReader("1 1:1\n2 9000:1\n1 9:1 9:1\n"), "f", Options{KeepSparse: true}); err == nil ||
		!strings.Contains(err.Error(), "f:3:7: found index 9 twice") {
		t.Error(err)
	}
}

// TestKeepNarrowRefuses: samples of which many are not 0 are refused with the row that has no room, whatever may stay
// sparse, and nothing is read after it.
func TestKeepNarrowRefuses(t *testing.T) {
	rows := strings.Repeat("1 1:1 2:2 3:3 4:4\n", 2000) + "no row\n"
	o := Options{MaxBytes: 1 << 17}
	_, want := readLIBSVM(strings.NewReader(rows), "f", o)
	var refused *Error
	if !errors.As(want, &refused) || refused.Line < 200 || refused.Line > 1900 {
		t.Fatalf("refused with %v", want)
	}
	o.KeepNarrow = true
	if _, err := readLIBSVM(strings.NewReader(rows), "f", o); err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, want)
	}
	thin := "1 1:1 100:1\n" + strings.Repeat("1 1:1\n", 1999)
	if s, err := readLIBSVM(strings.NewReader(thin), "f", o); err != nil || s.Sparse == nil {
		t.Error("samples that take what they are, not more:", err)
	}
}

// TestSparseBatches: batches are the rows of the whole file, more of them than stored zeros would leave room for.
func TestSparseBatches(t *testing.T) {
	text := wideText(4000)
	path := filepath.Join(t.TempDir(), "wide.libsvm")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	whole, err := ReadFile(path, Options{KeepSparse: true})
	if err != nil {
		t.Fatal(err)
	}
	pos, sets := 0, 0
	err = Batches(strings.NewReader(text), "f", Options{KeepSparse: true, Width: 6000}, func(s *Set) error {
		if s.Sparse == nil {
			return fmt.Errorf("rows %d to %d are stored", pos, pos+s.N)
		}
		for i := range s.N {
			index, value := s.Sparse.Row(i)
			wantIndex, want := whole.Sparse.Row(pos + i)
			if !cmp.Equal(index, wantIndex) || !cmp.Equal(value, want) {
				return fmt.Errorf("row %d: %v %v, want %v %v", pos+i, index, value, wantIndex, want)
			}
		}
		pos += s.N
		sets++
		return nil
	})
	if err != nil || pos != whole.N || sets > 20 { // stored they would be 46
		t.Errorf("%d of %d rows in %d sets: %v", pos, whole.N, sets, err)
	}
}

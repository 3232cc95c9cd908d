package cpu

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	for _, l := range All() {
		if got, err := Parse(l.String()); got != l || err != nil {
			t.Errorf("Parse(%q) = %v, %v", l.String(), got, err)
		}
	}
	if _, err := Parse("avx1024"); err == nil {
		t.Error("a level that does not exist is accepted")
	}
}

func TestAvailable(t *testing.T) {
	ls := Available()
	if len(ls) == 0 || ls[0] != Generic {
		t.Fatalf("available levels %v, want generic first", ls)
	}
	for _, l := range All() {
		if Has(l) != slices.Contains(ls, l) {
			t.Errorf("Has(%v) = %v, available are %v", l, Has(l), ls)
		}
		if Has(l) && !Has(l.Extends()) {
			t.Errorf("%v is available without %v, whose kernels it may use", l, l.Extends())
		}
	}
}

func TestUse(t *testing.T) {
	before := Active()
	restore := Use(Generic)
	if Active() != Generic {
		t.Errorf("active level %v, want generic", Active())
	}
	restore()
	if Active() != before {
		t.Errorf("active level %v, want %v again", Active(), before)
	}
	for _, l := range All() {
		if Has(l) {
			continue
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Use(%v) did not panic on a host without it", l)
				}
			}()
			Use(l)
		}()
	}
}

// The choice at start: what the environment names if the host has it, else the best, with a reason.
func TestChoose(t *testing.T) {
	have := []Level{Generic, AVX2}
	for _, c := range []struct {
		want   string
		level  Level
		reason bool
	}{
		{"", AVX2, false},
		{"generic", Generic, false},
		{"avx2", AVX2, false},
		{"avx512", AVX2, true},
		{"AVX2", AVX2, true},
		{"fastest", AVX2, true},
	} {
		level, reason := choose(c.want, have)
		if level != c.level || (reason != "") != c.reason {
			t.Errorf("%q: %v, %q; want %v", c.want, level, reason, c.level)
		}
	}
}

func TestTable(t *testing.T) {
	own := make(map[Level]string)
	for _, l := range All()[1:] {
		own[l] = l.String()
	}
	all := NewTable("generic", own)
	some := NewTable("generic", map[Level]string{AVX2: "avx2"})
	for _, l := range Available() {
		restore := Use(l)
		if got, want := *all.Active(), l.String(); got != want {
			t.Errorf("%v: entry %q, want %q", l, got, want)
		}
		want := "generic"
		for at := l; at != Generic; at = at.Extends() {
			if at == AVX2 {
				want = "avx2"
			}
		}
		if got := *some.Active(); got != want {
			t.Errorf("%v: inherited entry %q, want %q", l, got, want)
		}
		restore()
	}
}

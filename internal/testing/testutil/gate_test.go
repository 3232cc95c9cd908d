package testutil

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

// errorRecorder counts what a helper reports.
type errorRecorder struct {
	testing.TB
	errors int
}

func (r *errorRecorder) Helper()               {}
func (r *errorRecorder) Logf(string, ...any)   {}
func (r *errorRecorder) Errorf(string, ...any) { r.errors++ }

func TestScales(t *testing.T) {
	var kinds []string
	Scales(t, 1, func(t *testing.T, s *Scale) {
		kinds = append(kinds, fmt.Sprint(s.Kind, s.Exponent))
		smallest, largest := math.Inf(1), 0.0
		for range 1000 {
			f := math.Log10(s.Factor())
			smallest, largest = min(smallest, f), max(largest, f)
		}
		if smallest < -s.Exponent-1e-9 || smallest > -0.9*s.Exponent ||
			largest > s.Exponent+1e-9 || largest < 0.9*s.Exponent {
			t.Errorf("factors from 10^%v to 10^%v", smallest, largest)
		}
	})
	if !slices.Equal(kinds, []string{"plain0", "scaled3", "nasty8"}) {
		t.Error(kinds)
	}
}

func TestDoors(t *testing.T) {
	nan := math.NaN()
	for k, c := range []struct {
		answers []Answer
		wrong   int
	}{
		{[]Answer{{"a", "optimal", true, 1, 0}, {"b", "optimal", true, 1.5, 0.5}}, 0},
		{[]Answer{{"a", "optimal", true, 1, 0.1}, {"b", "optimal", true, 1.5, 0}}, 1},
		{[]Answer{{"a", "optimal", true, 1, 9}, {"b", "unbounded", true, 1, 9}}, 1},
		{[]Answer{{"a", "trouble", false, 1, 0}, {"b", "optimal", true, 2, 0}, {"c", "trouble", false, 3, 0}}, 0},
		{[]Answer{{"a", "trouble", false, 1, 0}, {"b", "optimal", true, 2, 0}, {"c", "optimal", true, 3, 0}}, 1},
		{[]Answer{{"a", "", true, nan, 0}, {"b", "", true, nan, 0}, {"c", "", true, 1, 9}}, 1},
		{[]Answer{{"a", "", true, 1, nan}, {"b", "", true, 2, 0}}, 1},
	} {
		r := errorRecorder{}
		if new(Doors).Compare(&r, 1, c.answers...); r.errors != c.wrong {
			t.Errorf("case %d: %d errors, want %d", k, r.errors, c.wrong)
		}
	}
	for oneIn, want := range map[int]int{10: 0, 11: 1} {
		r := errorRecorder{}
		if (&Doors{10, 1}).AtMost(&r, oneIn); r.errors != want {
			t.Errorf("one in %d: %d errors", oneIn, r.errors)
		}
	}
	r := errorRecorder{}
	if new(Doors).AtMost(&r, 1); r.errors != 1 {
		t.Error("doors without answers pass")
	}
}

func TestLies(t *testing.T) {
	check := func(v int) error {
		if v > 1 {
			return errors.New("large")
		}
		return nil
	}
	r := errorRecorder{}
	if Lies(&r, check, 1, map[string]int{"two": 2}); r.errors != 0 {
		t.Error("a truth and a refused lie fail")
	}
	if Lies(&r, check, 2, map[string]int{"zero": 0, "one": 1}); r.errors != 3 {
		t.Error("a refused truth and two lies pass")
	}
}

func TestReports(t *testing.T) {
	Reports(t, []Report[float64]{{Thread: "a", Input: 2, Value: 4}}, func(v float64) (float64, error) { return v * v, nil })
	value, refusal := Report[int]{Value: 4}, Report[int]{Error: "convex"}
	for k, c := range []struct {
		wrong string
		fails bool
	}{
		{value.wrong(4+1e-9, nil), false},
		{value.wrong(4+1e-8, nil), true},
		{value.wrong(math.NaN(), nil), true},
		{value.wrong(4, errors.New("x")), true},
		{refusal.wrong(4, nil), true},
		{refusal.wrong(4, errors.New("x")), true},
		{refusal.wrong(4, errors.New("not convex")), false},
	} {
		if (c.wrong != "") != c.fails {
			t.Errorf("case %d: %q", k, c.wrong)
		}
	}
}

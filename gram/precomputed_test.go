package gram

import (
	"slices"
	"strings"
	"testing"
)

func TestPrecomputedSamples(t *testing.T) {
	x := PrecomputedSamples([]float64{5, 6, 7, 8, 9, 10}, 2, 3)
	if want := []float64{1, 5, 6, 7, 2, 8, 9, 10}; !slices.Equal(x, want) {
		t.Errorf("points %v, want %v", x, want)
	}
	k := Precomputed()
	if v := k.Eval(x[4:], x[:4]); v != 8 {
		t.Errorf("k(2, 1) = %v, want 8: column 1 of row 2", v)
	}
	defer func() {
		if recover() == nil {
			t.Error("too few values do not panic")
		}
	}()
	PrecomputedSamples(make([]float64, 5), 2, 3)
}

func TestPrecomputedRefuses(t *testing.T) {
	good := PrecomputedSamples([]float64{2, 1, 0, 1, 2, 0.5, 0, 0.5, 2}, 3, 3)
	for _, tt := range []struct {
		at     int
		value  float64
		points string // ValidatePoints' error
		matrix string // ValidateMatrix' error
	}{
		{0, 1, "", ""},
		{4, 4, "serial number of point 1 is 4, want an integer from 1 to the 3 values of its row", ""},
		{4, 0, "serial number of point 1 is 0", ""},
		{8, 1.5, "serial number of point 2 is 1.5", ""},
		{7, 0.75, "", "not symmetric: row 3 has 0.5 in column 2, row 2 has 0.75 in column 3"},
		{7, 0.5 + 1e-12, "", ""},
	} {
		x := slices.Clone(good)
		x[tt.at] = tt.value
		err := Precomputed().ValidateSamples(x, 3, 4)
		if !says(err, tt.points) {
			t.Errorf("%v at %d: points: %v, want %q", tt.value, tt.at, err, tt.points)
		}
		if err != nil {
			continue
		}
		if err := Precomputed().ValidateMatrix(x, 3, 4); !says(err, tt.matrix) {
			t.Errorf("%v at %d: matrix: %v, want %q", tt.value, tt.at, err, tt.matrix)
		}
	}
	err := Precomputed().ValidateMatrix([]float64{1, 0, 0, 2, 0, 0}, 2, 3)
	if !says(err, "point 0, serial number 1, has no kernel values") {
		t.Errorf("points without values: %v", err)
	}
	if err := Precomputed().Validate(1); !says(err, "points of 1 features") {
		t.Errorf("one feature: %v", err)
	}
	if err := RBF(1).ValidateSamples(nil, 0, 0); err != nil {
		t.Error(err)
	}
}

// says reports whether err is about want; no error if that is empty.
func says(err error, want string) bool {
	if err == nil || want == "" {
		return err == nil && want == ""
	}
	return strings.Contains(err.Error(), want)
}

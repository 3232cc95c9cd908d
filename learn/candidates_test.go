package learn

import (
	"slices"
	"strings"
	"testing"
)

// External candidates stand behind a problem's own, count for nothing but as candidates, and leave the problem as it
// was.
func TestOffer(t *testing.T) {
	p := square()
	p.Group = []int{3, 4, 5, 6}
	q := p.WithCandidates([]float64{8, 9, 10, 11, 99}, []float64{-1, 1}, 2)
	if err := q.Validate(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(q.X, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) || q.N != 6 || len(q.Group) != 6 ||
		!slices.Equal(q.Y[4:], []float64{-1, 1}) || !slices.Equal(q.Candidates, []int{4, 5}) {
		t.Errorf("%+v", q)
	}
	if !slices.Equal(q.Present(), p.Present()) || !slices.Equal(q.Rows(), []int{0, 1, 3, 4, 5}) {
		t.Errorf("present %v, rows %v", q.Present(), q.Rows())
	}
	if p.N != 4 || p.Candidates != nil || len(p.Y) != 4 || !slices.Equal(p.Rows(), p.Present()) {
		t.Errorf("the problem became %+v", p)
	}
	if q = p.WithCandidates([]float64{8, 9}, nil, 1); q.Validate() != nil || q.Y[4] != 1 {
		t.Errorf("without labels: %v", q.Y)
	}
}

func TestValidateCandidates(t *testing.T) {
	for _, c := range []struct {
		at   []int
		want string
	}{
		{nil, ""}, {[]int{0}, ""}, {[]int{0, 3}, ""}, {[]int{}, "no candidates"}, {[]int{3, 1}, "candidate 1 after 3"},
		{[]int{1, 1}, "candidate 1 after 1"}, {[]int{-1}, "candidate -1"}, {[]int{4}, "candidate 4 after -1 of 4 samples"},
		{[]int{2}, "label of candidate 2 is 0"},
	} {
		p := square()
		p.Y[2] = 0 // of weight 0
		p.Candidates = c.at
		err := p.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.at, err, c.want)
		}
	}
}

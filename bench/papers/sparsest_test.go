package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
)

// The least objective is not above that of a method's own vectors, and is proven.
func TestSparsestRow(t *testing.T) {
	set := dataset.PelegMeir(120, 0.1, 1)
	var rows []int
	for i := range set.N {
		rows = append(rows, i)
	}
	s := sparsestSet{"drawn", 0.5, set.Subset(rows[:60]), set.Subset(rows[60:])}
	for _, name := range sparsestMethods {
		row, err := s.row(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var v [3]float64
		for k := range v {
			if v[k], err = strconv.ParseFloat(row[2+k], 64); err != nil {
				t.Fatal(err)
			}
		}
		if !(v[0] >= 1) || !(v[2] > 0) || !(v[1] >= v[2]) || strings.Contains(row[7], "gap") {
			t.Errorf("%v", row)
		}
	}
}

package scsvc

import (
	"cmp"
	"context"
	"math"
	"slices"
)

const (
	firstColumns = 16    // coefficients that the program begins with, and the fewest that come to many
	alike        = 0.999 // cos² between samples above which only one of them comes at a time
	almost       = 0.8   // share of λ from which on samples come with those above it
	lifted       = 5     // times the mean product that goes with the gap: where the next program starts
)

// grow gives coefficients to the samples whose |Kη| is largest, of those that are alike to the first, and to at most
// as many as have some. The iterate becomes one of larger products, which are equal, around its own
// coefficients: from the old ones, of which many are near 0, the steps would be short. It returns how many came.
func (s *solver) grow(ctx context.Context) int {
	var dear []int
	for i := s.m; i < s.n; i++ {
		if s.m == 0 || math.Abs(s.dear[i]) > almost*s.Lambda {
			dear = append(dear, s.rows[i])
		}
	}
	at := make(map[int]int, s.n-s.m) // places change
	for i := s.m; i < s.n; i++ {
		at[s.rows[i]] = i
	}
	price := func(row int) float64 { return math.Abs(s.dear[at[row]]) }
	slices.SortStableFunc(dear, func(a, b int) int { return cmp.Compare(price(b), price(a)) })
	first := s.m
	most := max(firstColumns, first)
	for _, row := range dear {
		i := at[row]
		if s.m-first < most && ctx.Err() == nil && !s.near(i, first) {
			at[s.rows[s.m]] = i
			s.swap(i, s.m)
			s.m++
		}
	}
	switch {
	case first == 0:
		for range s.m {
			s.v.p, s.v.q = append(s.v.p, 1/s.Lambda), append(s.v.q, 1/s.Lambda)
			s.v.zp, s.v.zq = append(s.v.zp, s.Lambda), append(s.v.zq, s.Lambda)
		}
	case s.m > first:
		s.start(append(s.coefficients(), make([]float64, s.m-first)...), lifted*s.mean())
	}
	return s.m - first
}

// near says whether a sample is like one of those that came from place first on.
func (s *solver) near(i, first int) bool {
	for j := first; j < s.m; j++ {
		if k := s.k[i*s.n+j]; k*k > alike*s.k[i*s.n+i]*s.k[j*s.n+j] {
			return true
		}
	}
	return false
}

// swap exchanges two samples.
func (s *solver) swap(i, j int) {
	if i == j {
		return
	}
	s.rows[i], s.rows[j] = s.rows[j], s.rows[i]
	for _, x := range [][]float64{s.y, s.cost, s.f, s.price, s.dear, s.v.beta, s.v.nu, s.v.s, s.v.xi} {
		x[i], x[j] = x[j], x[i]
	}
	a, b := s.k[i*s.n:(i+1)*s.n], s.k[j*s.n:(j+1)*s.n]
	for q, v := range a {
		a[q], b[q] = b[q], v
	}
	for q := range s.n {
		row := s.k[q*s.n : (q+1)*s.n]
		row[i], row[j] = row[j], row[i]
	}
}

package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/internal/deal"
)

// settle decides what labels are that a file does not declare.
func (t *targets) settle(s *Set) {
	values := s.Targets
	if values == nil {
		values = make([]float64, len(s.Labels))
		for c, name := range s.Labels {
			v, found := parseFloat([]byte(name))
			if values[c] = v; found != "" {
				s.Guess = "words"
				return
			}
		}
		s.Guess = fmt.Sprintf("%d different whole numbers in %d rows", len(values), s.N)
		if amounts(values, s.Counts()) {
			s.Targets, s.Labels = deal.Pick(values, s.Y), nil
			s.Y = nil
		}
		return
	}
	low, high := slices.Min(values), slices.Max(values)
	class, count := make([]int, s.N), [2]int{}
	for i, v := range values {
		if v == high {
			class[i] = 1
		}
		if v == low || v == high {
			count[class[i]]++
		}
	}
	if s.Guess = "fractions"; count[0]+count[1] < s.N || min(count[0], count[1]) < 2 {
		return
	}
	s.Guess, s.Y, s.Targets = "two different numbers", class, nil
	s.Labels = []string{strconv.FormatFloat(low, 'g', -1, 64), strconv.FormatFloat(high, 'g', -1, 64)}
}

// amounts reports whether different whole numbers, ascending, are amounts, which a regression predicts, or else numbers
// of classes. It is AutoGluon's rule (core/utils, infer_problem_type): classes are at most 5 % of more than 1000 rows,
// or 10 % of fewer, and at most 1000. But
//
//   - at most 20 numbers that come three times each are classes in any case, and at most seven in five times as many
//     rows if four rows of five have one that does;
//   - eight or more without many gaps are amounts if they begin at neither 0 nor 1, as ages do, or if they are the more
//     frequent the closer they are to one of them, as counts are (but perhaps 0);
//   - five or more from 1800 to 2100 without many gaps are years;
//   - more than 20 are classes only if each comes three times, and they are 0 or 1 and those that follow, or far apart.
func amounts(values []float64, counts []int) bool {
	k, rows, rare, step := len(values), 0, 0, 0.0
	for i, n := range counts {
		rows += n
		if n < 3 {
			rare += n
		}
		for a, b := step, values[i]-values[0]; ; a, b = b, math.Mod(a, b) {
			if step = a; b == 0 {
				break
			}
		}
	}
	if k < 3 {
		return false
	}
	last := k - 1 // that is not rare, if some is not
	for last > 0 && counts[last] < 3 && rare < rows {
		last--
	}
	begins, span := values[0], values[k-1]-values[0]+1
	dense := 4*(values[last]-begins+1) <= 5*float64(last+1)
	codes := dense && (begins == 0 || begins == 1)
	share := 0.1
	if rows > 1000 {
		share = 0.05
	}
	switch {
	case dense && k >= 8 && (!codes || oneHill(counts) || begins == 0 && oneHill(counts[1:])),
		dense && k >= 5 && begins >= 1800 && values[k-1] <= 2100:
		return true
	case k <= 20 && rare == 0, k <= 7 && 5*k <= rows && 5*rare <= rows:
		return false
	case k > 1000 || float64(k) > share*float64(rows):
		return true
	case k <= 20:
		return false
	}
	apart := (span-1)/step > 2*float64(k)
	return !(rare == 0 && (codes && span == float64(k) || apart))
}

// oneHill reports whether counts rise to the largest, at least ten times the least, and fall from it, but for what
// chance explains.
func oneHill(counts []int) bool {
	largest := slices.Max(counts)
	top := slices.Index(counts, largest)
	for i, n := range counts[1:] {
		before, after := float64(counts[i]), float64(n)
		if i >= top {
			before, after = after, before
		}
		if before-after > 3*math.Sqrt(before) {
			return false
		}
	}
	return largest >= 10*slices.Min(counts)
}

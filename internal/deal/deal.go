// Package deal divides samples into folds, and picks and sorts elements of lists.
package deal

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Classes returns each sample's fold, 0 to folds−1. rows holds the samples of each class, together 0 to n−1; Classes
// shuffles it. Every fold has its share of each class, and sizes of folds differ by at most one sample.
func Classes(rows [][]int, folds int, rng *rand.Rand) []int {
	n := 0
	for _, class := range rows {
		n += len(class)
	}
	fold, next := make([]int, n), 0
	for _, class := range rows {
		rng.Shuffle(len(class), func(a, b int) { class[a], class[b] = class[b], class[a] })
		for _, i := range class {
			fold[i] = next % folds
			next++
		}
	}
	return fold
}

// Groups returns each sample's fold, given its group. It never divides a group. The largest group goes first, each
// group to the smallest fold. Groups of the same size come in random order.
func Groups[G cmp.Ordered](group []G, folds int, rng *rand.Rand) []int {
	rows := make(map[G][]int)
	for i, g := range group {
		rows[g] = append(rows[g], i)
	}
	names := Distinct(group)
	rng.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
	Sort(names, func(a, b G) int { return len(rows[b]) - len(rows[a]) })
	fold, size := make([]int, len(group)), make([]int, folds)
	for _, g := range names {
		smallest := 0
		for f := range size {
			if size[f] < size[smallest] {
				smallest = f
			}
		}
		size[smallest] += len(rows[g])
		for _, i := range rows[g] {
			fold[i] = smallest
		}
	}
	return fold
}

// Fair returns the folds for a method that trains on the complement of each fold. It uses [Groups] if group is not
// nil (with fewer folds if there are fewer groups), otherwise [Classes]. class holds each sample's class, one of
// classes. The result is nil if a fold would lack a class, or, with groups, if the complement of a fold would lack a
// class.
func Fair(class []int, classes int, group []int, folds int, rng *rand.Rand) []int {
	rows := ByClass(class, classes)
	if group == nil {
		for _, samples := range rows {
			if len(samples) < folds {
				return nil
			}
		}
		return Classes(rows, folds, rng)
	}
	if folds = min(folds, len(Distinct(group))); folds < 2 {
		return nil
	}
	fold := Groups(group, folds, rng)
	for _, samples := range rows {
		if !slices.ContainsFunc(samples, func(i int) bool { return fold[i] != fold[samples[0]] }) {
			return nil // a class lies in one fold, or is empty
		}
	}
	return fold
}

// ByClass returns the samples of each class, ascending.
func ByClass(class []int, classes int) [][]int {
	rows := make([][]int, classes)
	for i, c := range class {
		rows[c] = append(rows[c], i)
	}
	return rows
}

// Lone marks the samples that every training needs: the only one of a class, or the whole group that has both of two.
// It is nil if there are none. Classes below 0 are none.
func Lone(class []int, group []string) []bool {
	rows := make(map[int][]int)
	for i, c := range class {
		rows[c] = append(rows[c], i)
	}
	alone := make(map[string]bool)
	var lone []bool
	for c, samples := range rows {
		one := group != nil && len(samples) == 2 && group[samples[0]] == group[samples[1]]
		if c < 0 || len(samples) > 1 && !one {
			continue
		}
		if lone == nil {
			lone = make([]bool, len(class))
		}
		if lone[samples[0]] = true; group != nil {
			alone[group[samples[0]]] = true
		}
	}
	for i := range lone {
		lone[i] = lone[i] || group != nil && alone[group[i]]
	}
	return lone
}

// Keep moves marked samples from the test part to the training part. Both stay ascending.
func Keep(lone []bool, in, out []int) (train, test []int) {
	train = slices.Clone(in)
	for _, i := range out {
		if lone != nil && lone[i] {
			train = append(train, i)
		} else {
			test = append(test, i)
		}
	}
	slices.Sort(train)
	return train, test
}

// Numbers numbers the groups of samples in the order in which they come; nil for none.
func Numbers(group []string) []int {
	if group == nil {
		return nil
	}
	number, numbers := make(map[string]int), make([]int, len(group))
	for i, name := range group {
		k, ok := number[name]
		if !ok {
			k = len(number)
			number[name] = k
		}
		numbers[i] = k
	}
	return numbers
}

// Distinct returns the distinct groups, ascending.
func Distinct[G cmp.Ordered](group []G) []G {
	names := slices.Clone(group)
	slices.Sort(names)
	return slices.Compact(names)
}

// Pick returns the elements of v at the given places; nil of nil.
func Pick[T any](v []T, places []int) []T {
	if v == nil {
		return nil
	}
	picked := make([]T, len(places))
	for k, i := range places {
		picked[k] = v[i]
	}
	return picked
}

// All returns the numbers from 0 to n-1.
func All(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Ascending returns the places of the elements of v by ascending value, equal ones in their order.
func Ascending[T cmp.Ordered](v []T) []int {
	places := All(len(v))
	slices.SortFunc(places, func(a, b int) int { return cmp.Or(cmp.Compare(v[a], v[b]), a-b) })
	return places
}

// Nth returns what would be element k of x if x were sorted (Hoare 1961). It reorders x.
func Nth(x []float64, k int) float64 {
	for lo, hi := 0, len(x)-1; lo < hi; {
		pivot, i, j := x[k], lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for pivot < x[j] {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		if j < k {
			lo = i
		}
		if k < i {
			hi = j
		}
	}
	return x[k]
}

// Parts returns the samples in the given fold and all others, each ascending.
func Parts(fold []int, one int) (in, out []int) {
	for i, f := range fold {
		if f == one {
			out = append(out, i)
		} else {
			in = append(in, i)
		}
	}
	return in, out
}

// Sort sorts x; what compares equal keeps its order. It sorts places: programs then have one sorting code for all types
// in place of 4 to 7 kB for each.
func Sort[T any](x []T, compare func(a, b T) int) {
	old, places := slices.Clone(x), make([]int, len(x))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, j int) int { return cmp.Or(compare(old[i], old[j]), i-j) })
	for k, i := range places {
		x[k] = old[i]
	}
}

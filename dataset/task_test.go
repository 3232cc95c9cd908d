package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// poisson draws a count.
func poisson(r *rand.Rand, mean float64) int {
	n, left := 0, math.Exp(-mean)
	for p := r.Float64(); p > left; p *= r.Float64() {
		n++
	}
	return n
}

// TestTaskOfTargets wants the task that a person chooses, by the labels alone.
func TestTaskOfTargets(t *testing.T) {
	type draw = func(r *rand.Rand, i int) any
	valueOf := func(words ...any) draw { return func(r *rand.Rand, _ int) any { return words[r.IntN(len(words))] } }
	mostly := func(p float64, a, b any) draw {
		return func(r *rand.Rand, _ int) any {
			if r.Float64() < p {
				return a
			}
			return b
		}
	}
	whole := func(lo, hi int) draw { return func(r *rand.Rand, _ int) any { return lo + r.IntN(hi-lo+1) } }
	normal := func(mean, sd, step float64) draw {
		return func(r *rand.Rand, _ int) any { return math.Max(0, step*math.Round((mean+sd*r.NormFloat64())/step)) }
	}
	counts := func(mean float64) draw { return func(r *rand.Rand, _ int) any { return poisson(r, mean) } }
	const values, names = true, false
	for _, tt := range []struct {
		what string
		rows int
		draw draw
		want bool
	}{
		{"whole amounts", 4000, normal(450000, 90000, 1), values}, {"amounts in hundreds", 4000, normal(450000, 90000, 100), values},
		{"amounts in thousands", 5000, normal(450, 60, 1), values}, {"few amounts", 60, normal(20000, 3000, 500), values},
		{"amounts with cents", 300, normal(20, 5, 0.01), values}, {"salaries in thousands", 5000, normal(60000, 15000, 1000), values},
		{"ages", 5000, whole(18, 90), values}, {"ages of a survey", 300, normal(40, 12, 1), values}, {"ages of pupils", 2000, whole(6, 18), values},
		{"years", 5000, whole(1922, 2011), values}, {"late years", 1000, whole(2010, 2021), values}, {"five years", 500, whole(2015, 2019), values},
		{"months ago", 5000, whole(3, 60), values}, {"counts of rentals", 10000, normal(190, 60, 1), values}, {"counts of calls", 2000, counts(30), values},
		{"small counts", 1500, counts(5), values}, {"counts of goals", 800, counts(4), values}, {"rare counts", 20000, counts(12), values},
		{"counts of waiting", 3000, func(r *rand.Rand, _ int) any { return int(3 * r.ExpFloat64()) }, values},
		{"counts and zeros", 3000, func(r *rand.Rand, _ int) any { return r.IntN(2) * poisson(r, 6) }, values},
		{"marks of a test", 3000, normal(65, 14, 1), values}, {"percent", 400, whole(0, 100), values}, {"minutes", 1000, normal(90, 20, 5), values},
		{"degrees", 2000, normal(15, 4, 1), values}, {"rings", 4177, func(r *rand.Rand, _ int) any { return 1 + poisson(r, 9) }, values},
		{"fractions", 50, func(r *rand.Rand, _ int) any { return r.NormFloat64() }, values}, {"halves", 100, valueOf(0.5, 1, 1.5, 2), values},
		{"all different", 30, func(_ *rand.Rand, i int) any { return 7 * i }, values},
		{"ratings", 500, whole(1, 5), names}, {"few ratings", 40, whole(1, 5), names}, {"uneven ratings", 900, func(r *rand.Rand, _ int) any {
			return 1 + min(4, poisson(r, 2.5))
		}, names},
		{"signs", 20, valueOf(1, -1), names}, {"zeros and ones", 20, valueOf(0, 1), names}, {"ones and twos", 30, valueOf("1", "2.0"), names},
		{"rare ones", 5000, mostly(0.995, 0, 1), names}, {"two large numbers", 40, valueOf(100, 250), names}, {"two fractions", 40, valueOf(0.5, 1.5), names},
		{"digits", 300, whole(0, 9), names}, {"letters", 20000, whole(1, 26), names}, {"persons", 400, whole(1, 40), names},
		{"types of glass", 214, valueOf(1, 1, 1, 2, 2, 2, 3, 5, 6, 7), names}, {"few types", 27, valueOf(1, 1, 1, 2, 2, 2, 2, 7), names},
		{"codes of land", 2000, valueOf(11, 21, 22, 23, 31, 41, 42, 43, 52, 71, 81, 90), names}, {"codes far apart", 60, valueOf(101, 205, 318, 422), names},
		{"codes of shops", 3000, func(r *rand.Rand, _ int) any { return 1000 + 37*37*r.IntN(30)%9001 }, names},
		{"three signs", 60, valueOf(-1, 0, 1), names}, {"severity", 303, func(r *rand.Rand, _ int) any { return min(4, poisson(r, 0.9)) }, names},
		{"tens", 500, valueOf(10, 20, 30, 40), names}, {"yes or no", 30, valueOf("yes", "no"), names}, {"true or false", 30, valueOf("True", "False"), names},
		{"words", 100, valueOf("setosa", "virginica", "versicolor"), names}, {"codes with letters", 100, valueOf("A1", "A2", "B1"), names},
		{"months", 3000, whole(1, 12), names}, {"weekdays", 700, whole(0, 6), names}, {"numbers and a word", 100, valueOf(1, 2, "3+"), names},
	} {
		for seed := range uint64(2) {
			r := rand.New(rand.NewPCG(seed, 1))
			var b strings.Builder
			b.WriteString("x,y\n")
			for i := range tt.rows {
				fmt.Fprintf(&b, "%.3f,%v\n", r.NormFloat64(), tt.draw(r, i))
			}
			s, err := ReadCSV(strings.NewReader(b.String()), "f.csv", Options{Guess: true, Targets: TargetGuess})
			if err != nil {
				t.Fatal(tt.what, err)
			}
			if (s.Targets != nil) != tt.want || (s.Y != nil) == tt.want || s.Guess == "" || s.Validate() != nil {
				t.Errorf("%s, seed %d: regression %v, want %v: %s, %v", tt.what, seed, !tt.want, tt.want, s.Guess, s.Labels)
			}
		}
	}
}

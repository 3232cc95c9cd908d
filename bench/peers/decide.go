package main

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

func init() {
	compare("decide", "one decision of small RBF models, scaling included, against the same loop in C, ns", runDecide)
}

// decideShapes are vectors, features and the goal in ns where math.Exp takes 5.
var decideShapes = [][3]int{{4, 2, 35}, {10, 8, 60}, {40, 20, 200}, {102, 2, 100}, {1, 1, 0}, {10, 60, 0}, {102, 20, 0},
	{4, 20, 0}, {10, 2, 0}, {10, 20, 0}, {40, 2, 0}, {200, 2, 0}, {200, 20, 0}}

// runDecide takes turns with the C program, in bursts much shorter than what other work on the host takes:
// the least of many is what a call costs.
func runDecide(_ context.Context, e *env) error {
	const rounds, bursts = 4, 20
	bin, err := e.compileC("decide.c", "-ffast-math", "-mprefer-vector-width=512", "-lm")
	if err != nil {
		fmt.Println("no C:", err)
	}
	args := []string{strconv.Itoa(bursts)}
	for _, s := range decideShapes {
		args = append(args, strconv.Itoa(s[0]), strconv.Itoa(s[1]))
	}
	exp, ours := math.Inf(1), constant(len(decideShapes), math.Inf(1))
	rows, features := slices.Clone(ours), slices.Clone(ours)
	for range rounds * e.Reps {
		exp = min(exp, decideBurst(bursts, decideExp()))
		for i, s := range decideShapes {
			call, err := decideModel(s[0], s[1])
			if err != nil {
				return err
			}
			ours[i] = min(ours[i], decideBurst(bursts, call))
		}
		if bin == "" {
			continue
		}
		out, err := exec.Command(bin, args...).Output()
		if err != nil {
			return err
		}
		for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			var r, f float64
			if _, err := fmt.Sscan(line, &r, &f); err != nil {
				return err
			}
			rows[i], features[i] = min(rows[i], r), min(features[i], f)
		}
	}
	var table [][]string
	for i, s := range decideShapes {
		goal := "–"
		if s[2] > 0 {
			goal = fmt.Sprintf("%.0f", float64(s[2])*exp/5)
		}
		table = append(table, []string{fmt.Sprintf("%d × %d", s[0], s[1]), goal, ns(ours[i]), ns(rows[i]),
			ns(features[i]), ns(min(rows[i], features[i]) / ours[i])})
	}
	harness.Table([]string{"vectors × d", "goal", "Decide", "C, by vector", "C, by feature", "C's best / ours"}, table)
	fmt.Printf("\nmath.Exp %.2f ns, which the goal is in proportion to; 102 × 2 takes %.2f times as long as 4 × 2\n", exp,
		ours[3]/ours[0])
	return nil
}

const decideRows = 256

// decideBurst is the least ns a row that a pass over all of them takes.
func decideBurst(bursts int, pass func()) float64 {
	smallest := math.Inf(1)
	for range bursts {
		smallest = min(smallest, harness.Seconds(func() {
			for range 40 {
				pass()
			}
		}))
	}
	return smallest * 1e9 / (40 * decideRows)
}

func decideExp() func() {
	x, sum := samples(decideRows, 1), 0.0
	return func() {
		for _, v := range x {
			sum += math.Exp(v)
		}
	}
}

func decideModel(n, d int) (pass func(), err error) {
	e := learn.Expansion{Coef: samples(n, 1), Bias: 0.1}
	for j := range n {
		e.Support = append(e.Support, j)
	}
	parts := model.BinaryParts(gram.RBF(0.5/float64(d)), samples(n, d), d, e)
	parts.Labels = []string{"-1", "1"}
	parts.Scaling = &dataset.Scaling{Kind: dataset.ScaleZ}
	for k := range d {
		parts.Scaling.Center = append(parts.Scaling.Center, 0.1*float64(k))
		parts.Scaling.Spread = append(parts.Scaling.Spread, 1+0.1*float64(k))
	}
	c, err := model.New(parts)
	if err != nil {
		return nil, err
	}
	x, sum := samples(decideRows, d), 0.0
	return func() {
		for i := range decideRows {
			sum += c.Decide(x[i*d : (i+1)*d])
		}
	}, nil
}

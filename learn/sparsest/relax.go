package sparsest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
)

// fit solves the program of the given candidates, and keeps the choice if it is the best. The dual solution stays in
// s.fitted.
func (s *search) fit(ctx context.Context, chosen []int32) float64 {
	s.fits++
	slices.Sort(chosen)
	x := s.fitted
	cell := make([]int, len(chosen))
	for q := range cell {
		cell[q] = -1
	}
	x.begin(chosen, cell, nil)
	primal, dual := x.refresh()
	for gap := primal - dual; x.steps < maxSteps && gap > exact*primal && ctx.Err() == nil && x.step(); {
		primal, dual = x.refresh()
		last := gap
		if gap = primal - dual; gap <= relative*primal && gap > last/2 { // only rounding is left
			break
		}
	}
	s.steps += x.steps
	if v, b := s.objective(chosen, x.c); v < s.best.objective {
		s.best = choice{v, slices.Clone(chosen), slices.Clone(x.c), b}
		primal = v
	}
	return primal
}

// greedy chooses candidates one after the other: of those with the largest products the one that helps most.
func (s *search) greedy(ctx context.Context) {
	const tried = 10
	all := []cell{s.all(1)}
	var chosen []int32
	for s.fit(ctx, chosen); len(chosen) < s.max && ctx.Err() == nil; {
		s.measure(&s.point, s.fitted.alpha.Low.X, all)
		order := slices.DeleteFunc(slices.Clone(all[0].members), func(j int32) bool { return slices.Contains(chosen, j) })
		s.point.byProduct(order)
		smallest, next := math.Inf(1), order[0]
		for _, j := range order[:min(len(order), tried)] {
			if v := s.fit(ctx, append(slices.Clone(chosen), j)); v < smallest {
				smallest, next = v, j
			}
		}
		chosen = append(chosen, next)
		s.fit(ctx, chosen)
	}
}

// relax raises the bound of a node by its relaxation. It reports whether the bound closes the node, and ends as soon as
// it does, or as it is clear that it will not.
func (s *search) relax(ctx context.Context, n *node) bool {
	const rounds = 3 // of adding candidates to a relaxation that leaves the node open
	for round := 1; ; round++ {
		x := s.x
		chosen, cell, counts := n.start()
		x.begin(chosen, cell, counts)
		primal, dual := x.refresh()
		for {
			if x.steps >= 4 || primal-dual < 1e-2*primal {
				n.bound = max(n.bound, s.measure(&s.point, x.alpha.Low.X, n.cells))
			}
			open := primal < s.cut() && primal-dual <= 0.1*(s.cut()-primal)
			if n.bound >= s.cut() || open || primal-dual <= solved*primal || x.steps == maxSteps ||
				ctx.Err() != nil || !x.step() {
				break
			}
			primal, dual = x.refresh()
		}
		s.steps += x.steps
		if n.bound >= s.cut() {
			return true
		}
		// without these candidates the relaxation says less than its dual value
		weak := primal >= s.cut() || round < rounds && dual-n.bound > (s.cut()-dual)/2
		if !weak || ctx.Err() != nil || !s.extend(n) {
			return false
		}
	}
}

// start lists the candidates of the hint with their cells, then those of fixed cells, and the cells' counts.
func (n *node) start() (chosen []int32, cell []int, counts []float64) {
	counts = make([]float64, len(n.cells))
	for k, r := range n.cells {
		if r.fixed() {
			continue
		}
		counts[k] = float64(r.count)
		for _, j := range n.hint {
			if slices.Contains(r.members, j) {
				chosen = append(chosen, j)
				cell = append(cell, k)
			}
		}
	}
	for _, r := range n.cells {
		if r.fixed() {
			chosen = append(chosen, r.members...)
			cell = append(cell, slices.Repeat([]int{-1}, r.count)...)
		}
	}
	return chosen, cell, counts
}

// extend adds candidates to the hint whose conditions the last dual point violates, a few of each cell. It reports
// whether there were any.
func (s *search) extend(n *node) bool {
	const at = 4 // once
	have := len(n.hint)
	for k, r := range n.cells {
		if r.fixed() {
			continue
		}
		var more []int32
		for _, j := range r.members {
			if c := s.point.c[j]; c*c/2 > s.x.u[k]*(1+1e-9) && !slices.Contains(n.hint, j) {
				more = append(more, j)
			}
		}
		s.point.byProduct(more)
		n.hint = append(n.hint, more[:min(len(more), at, max(0, inUse(s.max, s.m)-len(n.hint)))]...)
	}
	return len(n.hint) > have
}

// round fits the candidates with the largest shares of each cell in the last relaxation.
func (s *search) round(ctx context.Context, n *node) {
	var chosen []int32
	for k, r := range n.cells {
		if r.fixed() {
			chosen = append(chosen, r.members...)
			continue
		}
		var in []int
		for q, cell := range s.x.cell {
			if cell == k {
				in = append(in, q)
			}
		}
		deal.Sort(in, func(a, b int) int { return cmp.Compare(s.x.z(b), s.x.z(a)) })
		for _, q := range in[:r.count] {
			chosen = append(chosen, s.x.chosen[q])
		}
	}
	s.fit(ctx, chosen)
}

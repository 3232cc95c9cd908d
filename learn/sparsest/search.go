package sparsest

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/status"
)

const (
	// relative is the gap, as a share of the objective, up to which a choice counts as the best.
	relative = 1e-6
	exact    = 1e-10 // gap of the coefficients of a choice
	solved   = 1e-8  // gap of a relaxation
	extra    = 5     // candidates with which the relaxation of a cell starts, beyond those that it takes
)

// search is a branch and bound over the choices of at most max candidates. Nodes divide the candidates into cells
// with a count each. Where candidates are alike, as neighbours under a smooth kernel are, forbidding one of them hardly
// raises the bound, but taking the whole count from one half of a cell does.
type search struct {
	*program
	max, limit int // chosen candidates, nodes
	x, fitted  *interior
	point      dual // of the last relaxation
	best       choice
	open       queue
	deep       []*node // open nodes in the order of a depth-first search, for which there is no memory in open
	room       int64   // bytes left for open nodes
	closed     float64 // least bound of closed nodes
	root       float64 // bound of the first relaxation
	work
	progress func(*search)
}

// work counts what a search has done.
type work struct{ nodes, fits, steps int }

// choice is candidates with coefficients.
type choice struct {
	objective float64
	chosen    []int32
	beta      []float64
	bias      float64
}

// queue is a heap of nodes by their bounds, of equal ones the deepest first.
type queue []*node

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q queue) Less(i, j int) bool {
	return q[i].bound < q[j].bound || q[i].bound == q[j].bound && q[i].depth > q[j].depth
}
func (q *queue) Push(n any) { *q = append(*q, n.(*node)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	n := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return n
}

func newSearch(p *program, largest, limit int, room int64) *search {
	return &search{program: p, max: min(largest, p.m), limit: limit, room: room,
		x: &interior{program: p}, fitted: &interior{program: p},
		point: dual{make([]float64, p.n), make([]float64, p.m)},
		best:  choice{objective: math.Inf(1)}, closed: math.Inf(1), progress: func(*search) {}}
}

// cut is the bound from which on a node is closed.
func (s *search) cut() float64 { return s.best.objective * (1 - relative) }

// lower is the proven bound of all choices.
func (s *search) lower() float64 {
	v := min(s.closed, s.best.objective)
	if len(s.open) > 0 {
		v = min(v, s.open[0].bound)
	}
	for _, n := range s.deep {
		v = min(v, n.bound)
	}
	return v
}

// run searches until every node is closed, or a limit comes first.
func (s *search) run(ctx context.Context) status.Status {
	s.greedy(ctx)
	root := &node{cells: []cell{s.all(s.max)}}
	s.measure(&s.point, s.fitted.alpha.Low.X, root.cells)
	s.hint(root)
	for j := 0; j < s.m; j += max(1, s.m/(8*extra)) { // and some from everywhere
		root.hint = append(root.hint, int32(j))
	}
	root.hint = distinct(root.hint)
	s.push(root)
	for {
		n := s.pop()
		if n == nil {
			return status.Optimal
		}
		if n.bound >= s.cut() {
			s.closed = min(s.closed, n.bound)
			continue
		}
		st := status.FromContext(ctx)
		if st == status.Unknown && s.nodes >= s.limit {
			st = status.IterationLimit
		}
		if st != status.Unknown || !s.visit(ctx, n) {
			s.deep = append(s.deep, n) // its bound still counts
			return max(st, status.FromContext(ctx))
		}
		s.progress(s)
	}
}

// visit closes a node or divides it. It reports false if the context ended before.
func (s *search) visit(ctx context.Context, n *node) bool {
	s.nodes++
	if !slices.ContainsFunc(n.cells, func(r cell) bool { return !r.fixed() }) {
		var chosen []int32
		for _, r := range n.cells {
			chosen = append(chosen, r.members...)
		}
		s.fit(ctx, chosen)
		n.bound = max(n.bound, s.measure(&s.point, s.fitted.alpha.Low.X, n.cells))
		s.closed = min(s.closed, n.bound)
		return ctx.Err() == nil
	}
	closed := s.relax(ctx, n)
	if s.nodes == 1 {
		s.root = n.bound
	}
	if ctx.Err() != nil {
		return false
	}
	if !closed {
		s.round(ctx, n)
		closed = n.bound >= s.cut()
	}
	if closed {
		s.closed = min(s.closed, n.bound)
		return true
	}
	s.divide(n)
	return true
}

// divide splits a cell of the node whose relaxation was the last, in all ways to divide its count among the halves.
func (s *search) divide(n *node) {
	index, halves := s.x.split(n.cells)
	count := n.cells[index].count
	var children []*node
	for k := range count + 1 {
		if k > len(halves[0]) || count-k > len(halves[1]) {
			continue
		}
		cells := slices.Delete(slices.Clone(n.cells), index, index+1)
		for side, take := range []int{k, count - k} {
			if take > 0 {
				cells = append(cells, cell{halves[side], take})
			}
		}
		bound := s.point.bound(cells)
		child := &node{bound: max(n.bound, bound), depth: n.depth + 1}
		if child.bound >= s.cut() {
			s.closed = min(s.closed, child.bound)
			continue
		}
		child.cells = s.point.screen(cells, bound, s.cut())
		s.hint(child)
		children = append(children, child)
	}
	deal.Sort(children, func(a, b *node) int { return cmp.Compare(b.bound, a.bound) })
	for _, child := range children {
		s.push(child)
	}
}

func (s *search) push(n *node) {
	if n.bytes() > s.room {
		s.deep = append(s.deep, n)
		return
	}
	s.room -= n.bytes()
	heap.Push(&s.open, n)
}

// pop returns the open node to visit, or nil.
func (s *search) pop() *node {
	if last := len(s.deep) - 1; last >= 0 {
		n := s.deep[last]
		s.deep = s.deep[:last]
		return n
	}
	if len(s.open) == 0 {
		return nil
	}
	n := heap.Pop(&s.open).(*node)
	s.room += n.bytes()
	return n
}

// hint lists the candidates with which the relaxation of a node starts: those of the largest products, and those that
// the last relaxation used.
func (s *search) hint(n *node) {
	for _, r := range n.cells {
		if r.fixed() {
			continue
		}
		order := slices.Clone(r.members)
		s.point.byProduct(order)
		n.hint = append(n.hint, order[:min(len(order), r.count+extra)]...)
		for q, j := range s.x.chosen {
			if s.x.z(q) > 1e-4 && slices.Contains(r.members, j) {
				n.hint = append(n.hint, j)
			}
		}
	}
	n.hint = slices.Clip(distinct(n.hint))
}

func distinct(candidates []int32) []int32 {
	slices.Sort(candidates)
	return slices.Compact(candidates)
}

// inUse bounds the candidates in use by a relaxation for choices of most of m.
func inUse(limit, m int) int { return min(m, 60+12*max(1, limit)) }

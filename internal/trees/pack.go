package trees

import (
	"errors"
	"fmt"
	"math"
)

// split is an inner node of a tree.
type split struct {
	threshold   float64
	left, right int // numbers of nodes
	feature     int32
	flags       uint8
}

// maxNodes bounds the nodes of all trees, whose numbers are int32.
const maxNodes = math.MaxInt32 - 2

// grow adds a tree of n nodes: it puts children next to each other, level by level. A node that is reached twice is an
// error.
func (f *forest) grow(n int, at func(i int) (split, float64, bool)) error {
	if len(f.nodes)+n > maxNodes {
		return fmt.Errorf("found more than %d nodes", maxNodes)
	}
	root, seen := int32(len(f.nodes)), make([]bool, n)
	if n == 0 {
		return errors.New("found no nodes")
	}
	level, depth := []int{0}, int32(0)
	seen[0] = true
	place := root + 1 // of the next children
	for ; ; depth++ {
		var next []int
		for _, i := range level {
			s, value, isLeaf := at(i)
			here := int32(len(f.nodes))
			if isLeaf {
				f.add(node{math.Inf(1), 0, here}, leaf|missingFirst, value)
				continue
			}
			for _, child := range []int{s.left, s.right} {
				if child < 0 || child >= n {
					return fmt.Errorf("node %d: found child %d, want one of %d nodes", i, child, n)
				}
				if seen[child] {
					return fmt.Errorf("node %d: found child %d, which is another node's child", i, child)
				}
				seen[child] = true
			}
			f.add(node{s.threshold, s.feature, place}, s.flags, 0)
			place += 2
			next = append(next, s.left)
			next = append(next, s.right)
		}
		if level = next; len(level) == 0 {
			break
		}
	}
	f.roots = append(f.roots, root)
	f.depths = append(f.depths, depth)
	return nil
}

func (f *forest) add(n node, flags uint8, value float64) {
	f.nodes = append(f.nodes, n)
	f.flags = append(f.flags, flags)
	f.values = append(f.values, value)
}

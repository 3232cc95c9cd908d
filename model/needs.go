package model

import (
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
)

// Needs returns the features that decision values depend on, as indices from 0, ascending. These are all features for
// most methods and kernels, and the chosen ones after a method such as ssvc-features. The others may have any finite
// value. [Classifier.NeedsAll] takes no memory for a list of very many features.
func (c *Classifier) Needs() []int {
	needs := []int{}
	if c.parts.N == 0 {
		return needs
	}
	if m := c.parts.Sparse; m != nil && c.parts.Kernel.Inner() {
		for _, k := range m.Index {
			needs = append(needs, int(k))
		}
		slices.Sort(needs)
		return slices.Compact(needs)
	}
	for k, used := range c.used() {
		if used {
			needs = append(needs, k)
		}
	}
	return needs
}

// NeedsAll reports whether decision values depend on every feature.
func (c *Classifier) NeedsAll() bool {
	p := &c.parts
	if p.Sparse != nil && p.N > 0 && !p.Kernel.Inner() {
		return true
	}
	return len(c.Needs()) == p.D
}

// used marks the features of Needs.
func (c *Classifier) used() []bool {
	p, used := &c.parts, make([]bool, c.parts.D)
	if m := p.Sparse; m != nil {
		for _, k := range m.Index {
			used[k] = true
		}
		if !p.Kernel.Inner() && p.N > 0 {
			for k := range used {
				used[k] = true
			}
		}
		return used
	}
	p.Kernel.Uses(used, p.Vectors)
	for _, m := range p.Submodels {
		for k, w := range m.Plane {
			used[k] = used[k] || w != 0
		}
		for _, s := range m.Steps {
			for k, u := range s.Turn {
				used[k] = used[k] || u != 0
			}
		}
		if m.Kernel != nil {
			m.Kernel.Uses(used, p.Vectors)
		}
	}
	return used
}

// Columns returns the columns of the CSV file that the model was trained on, for [dataset.Options]: other files are
// then read like the training file, and may lack columns that no decision value depends on. It returns nil without
// such a file.
func (c *Classifier) Columns() dataset.Columns {
	if len(c.parts.Columns) == 0 {
		return nil
	}
	columns, used := c.parts.Columns.Clone(), c.used()
	columns.Need(used)
	return columns
}

package model

import (
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
)

// Needs returns the features that decision values depend on, as indices from 0, ascending; nil and true where these are
// all features, so that very many take no memory. They are all for most methods and kernels, and the chosen ones after
// a method such as ssvc-features. The others may have any finite value.
func (c *Classifier) Needs() (needs []int, all bool) {
	needs = []int{}
	switch p := &c.parts; {
	case p.Sparse == nil:
		for k, used := range c.used() {
			if used {
				needs = append(needs, k)
			}
		}
	case p.N > 0 && !p.Kernel.Inner():
		return nil, true
	default:
		for _, k := range p.Sparse.Index {
			needs = append(needs, int(k))
		}
		slices.Sort(needs)
		needs = slices.Compact(needs)
	}
	if len(needs) == c.parts.D {
		return nil, true
	}
	return needs, false
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

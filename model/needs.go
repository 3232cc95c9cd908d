package model

import "github.com/sparsekm/sparsekm/dataset"

// Needs returns the features on which a decision depends, from 0, ascending: all of them for most methods and kernels,
// those that were kept for one that chooses features, such as ssvc-features. Any finite value does for the others.
func (c *Classifier) Needs() []int {
	needs := []int{}
	for k, used := range c.used() {
		if used {
			needs = append(needs, k)
		}
	}
	return needs
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
		if m.Kernel != nil {
			m.Kernel.Uses(used, p.Vectors)
		}
	}
	return used
}

// Columns returns the columns of the CSV file that it was trained on, for
// [dataset.Options]: points of other files are then made as those of the training were, and may lack columns that no
// decision depends on. Nil when there was none.
func (c *Classifier) Columns() dataset.Columns {
	if len(c.parts.Columns) == 0 {
		return nil
	}
	columns, used := c.parts.Columns.Clone(), c.used()
	columns.Need(used)
	return columns
}

package main

import (
	"cmp"
	"strconv"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/model"
)

// categorise says which features of the set and of the candidates are categories whose values are learnt.
func categorise(o *sparsekm.Options, set *dataset.Set, widths []int, table uint64) error {
	if o.CategoryValues == 0 || table > 0 {
		return nil
	}
	err := columnsOf(set, widths)
	if err == nil && o.Candidates != nil && o.Candidates.D == set.D {
		err = oneEach(set.Columns, o.Candidates)
	}
	return err
}

// columnsOf says which features of a set are categories, by the number of features of each column.
func columnsOf(set *dataset.Set, widths []int) error {
	features := 0
	for i, width := range widths {
		if width < 1 || width > set.D-features {
			return argument("options: columns: column %d has %d of %d features", i, width, set.D)
		}
		features += width
		column := dataset.Column{Role: dataset.RoleNumber}
		if width > 1 {
			column.Role = dataset.RoleCategory
		}
		for word := range width {
			if width > 1 {
				column.Categories = append(column.Categories, strconv.Itoa(word))
			}
		}
		set.Columns = append(set.Columns, column)
	}
	if features != set.D {
		return argument("options: columns: found %d features, want %d", features, set.D)
	}
	return oneEach(set.Columns, set)
}

// oneEach refuses samples in which a column of categories has anything but zeros, or zeros and a 1.
func oneEach(columns dataset.Columns, set *dataset.Set) error {
	for i := range set.N {
		row := set.Row(i)
		for column := range columns {
			width := max(1, len(columns[column].Categories))
			if columns[column].Role == dataset.RoleCategory {
				ones := 0
				for k, v := range row[:width] {
					switch v {
					case 0:
					case 1:
						ones++
					default:
						return argument("feature %d of row %d is %v, want 0 or 1 in a column of categories",
							set.D-len(row)+k, i, v)
					}
				}
				if ones > 1 {
					return argument("row %d has %d categories in column %d, want one at most", i, ones, column)
				}
			}
			row = row[width:]
		}
	}
	return nil
}

// withValues returns samples with the values of categories that the model has learnt; others as they are.
func withValues(c *model.Classifier, set *dataset.Set) (*dataset.Set, error) {
	if set.D == c.NumFeatures() || !c.TakesPlain(set) {
		return set, nil
	}
	if err := cmp.Or(finite(set), room(set.N, c.NumFeatures(), 0)); err != nil {
		return nil, err
	}
	columns := c.Columns()
	own := *set
	own.X, own.Sparse, own.D = columns.Coded(set, 0, set.N), nil, columns.NumFeatures()
	return &own, nil
}

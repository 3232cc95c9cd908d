package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
)

// values are the learnt values of categories, for callers of a program: it takes features, and its function of values
// gives those of categories by their numbers. Features whose values are all 0 are left out.
type values struct {
	Feature []int
	First   []int // of each feature in Table, and the end of the last one
	Table   []float64
}

// newValues returns nil for a model without values.
func newValues(columns dataset.Columns) *values {
	if !columns.Valued() {
		return nil
	}
	v := &values{First: []int{0}}
	columns.EachValued(func(c *dataset.Column, feature, part int) {
		table := c.Values[part*len(c.Categories) : (part+1)*len(c.Categories)]
		if slices.ContainsFunc(table, func(v float64) bool { return v != 0 }) {
			v.Feature = append(v.Feature, feature)
			v.Table = append(v.Table, table...)
			v.First = append(v.First, len(v.Table))
		}
	})
	return v
}

// categoryTexts lists, for features that have values, the numbers of the categories.
func categoryTexts(columns dataset.Columns) map[int]string {
	texts := make(map[int]string)
	columns.EachValued(func(c *dataset.Column, feature, _ int) {
		list := make([]string, len(c.Categories))
		for i, name := range c.Categories {
			list[i] = fmt.Sprintf("%d %s", i, name)
		}
		texts[feature] = ", the value of " + strings.Join(list, ", ")
	})
	return texts
}

// properties are the values as metadata of an ONNX model: for a feature an object with the value of each category.
func properties(columns dataset.Columns) (m message) {
	columns.EachValued(func(c *dataset.Column, feature, part int) {
		value := make(map[string]float64, len(c.Categories))
		for i, name := range c.Categories {
			value[name] = c.Values[part*len(c.Categories)+i]
		}
		text, err := json.Marshal(value)
		if err != nil {
			panic("export: " + err.Error()) // numbers are finite
		}
		m = m.bytes(14, message{}.text(1, fmt.Sprintf("values of feature %d", feature)).text(2, string(text)))
	})
	return m
}

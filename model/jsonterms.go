package model

import (
	"fmt"

	"github.com/sparsekm/sparsekm/gram"
)

// jsonTerms is a composite kernel: a scale for each term, and lists with an element for each factor, of which those of
// numbers may be absent. Lists of numbers take the memory that is counted for a text of JSON; those of kernels would
// take more.
type jsonTerms struct {
	Scale   []float64   `json:"scale"`
	Term    []int       `json:"term,omitempty"` // of the factor, from 0
	Kernel  []string    `json:"kernel,omitempty"`
	Gamma   []float64   `json:"gamma,omitempty"`
	Coef0   []float64   `json:"coef0,omitempty"`
	Degree  []int       `json:"degree,omitempty"`
	Alpha   []float64   `json:"alpha,omitempty"`
	Weights [][]float64 `json:"feature_weights,omitempty"` // empty for a factor without weights
}

func termsToJSON(k gram.Kernel) *jsonTerms {
	j := new(jsonTerms)
	for i, t := range k.Terms {
		j.Scale = append(j.Scale, t.Scale)
		for _, f := range t.Factors {
			j.Term = append(j.Term, i)
			j.Kernel = append(j.Kernel, f.Kind.String())
			j.Gamma = append(j.Gamma, f.Gamma)
			j.Coef0 = append(j.Coef0, f.Coef0)
			j.Degree = append(j.Degree, f.Degree)
			j.Alpha = append(j.Alpha, f.Alpha)
			j.Weights = append(j.Weights, append([]float64{}, f.Weights...))
		}
	}
	return j
}

// kernel makes the kernel; its validation follows.
func (j *jsonTerms) kernel() (k gram.Kernel, err error) {
	k.Kind = gram.KindComposite
	n := len(j.Kernel)
	if len(j.Scale) > gram.MostFactors || n > gram.MostFactors {
		return k, fmt.Errorf("model: %d terms of %d factors in a kernel, want at most %d", len(j.Scale), n, gram.MostFactors)
	}
	for _, list := range [...]int{len(j.Gamma), len(j.Coef0), len(j.Degree), len(j.Alpha), len(j.Weights)} {
		if list != 0 && list != n || len(j.Term) != n {
			return k, fmt.Errorf("model: lists of %d and %d elements for the %d factors of a kernel", len(j.Term), list, n)
		}
	}
	for _, v := range j.Scale {
		k.Terms = append(k.Terms, gram.Term{Scale: v})
	}
	for i, name := range j.Kernel {
		var f gram.Kernel
		if f.Kind, err = gram.ParseKind(name); err != nil {
			return k, fmt.Errorf("model: %w", err)
		}
		f.Gamma, f.Coef0, f.Degree, f.Alpha = at(j.Gamma, i), at(j.Coef0, i), at(j.Degree, i), at(j.Alpha, i)
		if w := at(j.Weights, i); len(w) > 0 {
			f.Weights = w
		}
		t := j.Term[i]
		if t < 0 || t >= len(k.Terms) {
			return k, fmt.Errorf("model: factor %d of a kernel in term %d, want one from 0 to %d", i, t, len(k.Terms)-1)
		}
		k.Terms[t].Factors = append(k.Terms[t].Factors, f)
	}
	return k, nil
}

// at is element i, and zero of an absent list.
func at[T any](list []T, i int) (v T) {
	if len(list) > 0 {
		v = list[i]
	}
	return v
}

package gram

import (
	"encoding/json"
	"strconv"
)

// kernelJSON has the keys that the command's reports use.
type kernelJSON struct {
	Type    string    `json:"type"`
	Name    string    `json:"name,omitempty"`
	Gamma   float64   `json:"gamma,omitempty"`
	Degree  int       `json:"degree,omitempty"`
	Coef0   *float64  `json:"coef0,omitempty"`
	Alpha   float64   `json:"alpha,omitempty"`
	Weights []float64 `json:"weights,omitempty"`
	Terms   []Term    `json:"terms,omitempty"`
}

// MarshalJSON writes the type, the name of a registered function, and those of the keys gamma, degree, coef0,
// alpha, weights and terms that the formula uses.
func (k Kernel) MarshalJSON() ([]byte, error) {
	j := kernelJSON{Type: k.Kind.String(), Name: k.Name, Weights: k.Weights, Terms: k.Terms}
	if k.HasGamma() {
		j.Gamma = k.Gamma
	}
	if k.HasDegree() {
		j.Degree = k.Degree
	}
	if k.HasCoef0() {
		j.Coef0 = &k.Coef0
	}
	if k.HasAlpha() {
		j.Alpha = k.Alpha
	}
	return json.Marshal(j)
}

// String returns the kernel in readable form, such as "rbf gamma=2".
func (k Kernel) String() string {
	s := k.Kind.String()
	if k.Name != "" {
		s += " " + k.Name
	}
	number := func(name string, v float64) { s += " " + name + "=" + strconv.FormatFloat(v, 'g', 6, 64) }
	if k.HasGamma() && k.Gamma != 0 {
		number("gamma", k.Gamma)
	}
	if k.HasDegree() {
		s += " degree=" + strconv.Itoa(k.Degree)
	}
	if k.HasCoef0() {
		number("coef0", k.Coef0)
	}
	if k.HasAlpha() {
		number("alpha", k.Alpha)
	}
	if k.Composed() {
		s += " of " + strconv.Itoa(len(k.Terms)) + " terms"
	}
	if k.Weights != nil {
		s += " with a weight for each feature"
	}
	return s
}

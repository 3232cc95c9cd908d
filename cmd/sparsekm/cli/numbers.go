package cli

import (
	"encoding/json"
	"math"
)

// numbers multiplies by sign, leaves no -0, and makes JSON out of what is not finite.
func numbers(v []float64, sign float64) []number {
	n := make([]number, len(v))
	for i := range v {
		n[i] = unsigned(sign * v[i])
	}
	return n
}

// unsigned is v, and 0 of -0.
func unsigned(v float64) number { return number(v + 0) }

// number is a float64 that JSON shows as null when it is not finite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// formatBytes writes a size for people, in binary units.
func formatBytes(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, u := float64(n)/1024, 0
	for ; v >= 1024 && u < len(units)-1; u++ {
		v /= 1024
	}
	return fmt.Sprintf("%.4g %ciB", v, units[u])
}

// classWeights is a weight for each of some labels; the command line takes "1=3,-1=0.5".
type classWeights map[string]float64

func (c *classWeights) UnmarshalText(text []byte) error {
	*c = classWeights{}
	for pair := range strings.SplitSeq(string(text), ",") {
		eq := strings.LastIndexByte(pair, '=')
		if eq < 1 {
			return fmt.Errorf("%q is not LABEL=WEIGHT", pair)
		}
		w, err := strconv.ParseFloat(pair[eq+1:], 64)
		if err != nil || !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("weight %q of class %s is not a finite number >= 0", pair[eq+1:], pair[:eq])
		}
		label := canonicalLabel(pair[:eq])
		if _, twice := (*c)[label]; twice {
			return fmt.Errorf("class %s has two weights", label)
		}
		(*c)[label] = w
	}
	return nil
}

// canonicalLabel writes an integer label as package dataset does: without plus sign or zeros.
func canonicalLabel(label string) string {
	if v, err := strconv.ParseFloat(label, 64); err == nil && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return label
}

package dataset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkReadCSV reads plain numbers: of as many digits as float64 needs, of few digits, and whole ones.
func BenchmarkReadCSV(b *testing.B) {
	for name, verb := range map[string]string{"17 digits": "%v", "6 digits": "%.4f", "integers": "%.0f"} {
		rnd := rand.New(rand.NewPCG(1, 2))
		var text bytes.Buffer
		for i := range 20000 {
			for range 20 {
				fmt.Fprintf(&text, verb+",", 100*rnd.NormFloat64())
			}
			fmt.Fprintf(&text, "%d\n", i%2)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if _, err := ReadCSV(bytes.NewReader(text.Bytes()), "f", Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package dataset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkReadCSV reads plain numbers: of as many digits as float64 needs, of few digits, and whole ones.
func BenchmarkReadCSV(b *testing.B) {
	for kind, verb := range map[string]string{"17-digits": "%v", "6-digits": "%.4f", "integers": "%.0f"} {
		rnd := rand.New(rand.NewPCG(1, 2))
		var text bytes.Buffer
		for i := range 40000 {
			for range 20 {
				fmt.Fprintf(&text, verb+",", 100*rnd.NormFloat64())
			}
			fmt.Fprintf(&text, "%d\n", i%2)
		}
		b.Run("numbers="+kind, func(b *testing.B) {
			name := written(b, "f.csv", text.Bytes())
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if _, err := ReadFile(name, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadLIBSVM reads lines of 20 such numbers, and of one of nine of 123 features that are 0 or 1.
func BenchmarkReadLIBSVM(b *testing.B) {
	for kind, verb := range map[string]string{"17-digits": "%v", "6-digits": "%.4f", "integers": "%.0f", "ones": ""} {
		rnd := rand.New(rand.NewPCG(1, 2))
		var text bytes.Buffer
		for i := range 40000 {
			fmt.Fprintf(&text, "%d", i%2)
			for k := range 20 {
				if verb != "" {
					fmt.Fprintf(&text, " %d:"+verb, k+1, 100*rnd.NormFloat64())
				}
			}
			for k := range 123 {
				if verb == "" && rnd.IntN(9) == 0 {
					fmt.Fprintf(&text, " %d:1", k+1)
				}
			}
			text.WriteByte('\n')
		}
		b.Run("numbers="+kind, func(b *testing.B) {
			name := written(b, "f.libsvm", text.Bytes())
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				if _, err := ReadFile(name, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// written is the name of a file with the text.
func written(b *testing.B, name string, text []byte) string {
	path := filepath.Join(b.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

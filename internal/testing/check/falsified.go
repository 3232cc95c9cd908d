package check

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Falsified returns a proof with one character, sign or line changed.
func Falsified(rng *rand.Rand, text string) string {
	for {
		lines := strings.SplitAfter(text, "\n")
		k := rng.IntN(len(lines) - 1)
		line := []byte(lines[k])
		switch rng.IntN(4) {
		case 0: // another digit
			pos := rng.IntN(len(line) - 1)
			line[pos] = "0123456789abcdef"[rng.IntN(16)]
			lines[k] = string(line)
		case 1: // another sign
			if kind, number, ok := strings.Cut(lines[k], " -"); ok {
				lines[k] = kind + " " + number
			} else {
				lines[k] = strings.Replace(lines[k], " ", " -", 1)
			}
		case 2: // two lines change their places
			other := rng.IntN(len(lines) - 1)
			lines[k], lines[other] = lines[other], lines[k]
		default: // a line is missing
			lines[k] = ""
		}
		if changed := strings.Join(lines, ""); changed != text {
			return changed
		}
	}
}

// Sealed gives a proof a checksum that fits.
func Sealed(text string) string {
	pos := strings.LastIndex(text, "\nend ") + 1
	return fmt.Sprintf("%send %08x\n", text[:pos], crc32.ChecksumIEEE([]byte(text[:pos])))
}

// Filed is the MPS file of a program and a proof, and the words with which the checker in Python has to begin.
type Filed struct{ MPS, Proof, Want string }

// Python compares what the checker in Python says of proofs with what is wanted. It skips the test where there is no
// Python.
func Python(t *testing.T, script string, all []Filed) {
	t.Helper()
	python, missing := exec.LookPath("python3")
	if missing != nil {
		t.Skip("there is no python3")
	}
	const batch = 1000
	for dir := t.TempDir(); len(all) > 0; all = all[min(batch, len(all)):] {
		args, refused := []string{script}, false
		for k, f := range all[:min(batch, len(all))] {
			for end, text := range map[string]string{"mps": f.MPS, "proof": f.Proof} {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.%s", k, end)), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args = append(args, filepath.Join(dir, fmt.Sprintf("%d.mps", k)), filepath.Join(dir, fmt.Sprintf("%d.proof", k)))
			refused = refused || strings.HasPrefix(f.Want, "refused")
		}
		out, err := exec.Command(python, args...).CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if (err != nil) != refused || len(lines) != len(args)/2 {
			t.Fatalf("%d lines for %d proofs, %v:\n%s", len(lines), len(args)/2, err, lines[len(lines)-1])
		}
		for k, line := range lines {
			if !strings.HasPrefix(line, all[k].Want) {
				t.Errorf("Python: %s, want %s, of\n%s%s", line, all[k].Want, all[k].MPS, all[k].Proof)
			}
		}
	}
}

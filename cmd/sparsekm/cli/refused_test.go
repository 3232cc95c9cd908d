package cli

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// TestRefusalsNameWhatFits trains with the flags that a training names which has too little memory.
func TestRefusalsNameWhatFits(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "samples"), filepath.Join(dir, "model")
	must(t, "gen", "twonorm", "-n", "2400", "-o", data)
	flag := regexp.MustCompile(`--(candidates \d+|method [a-z-]+|time-limit)`)
	for method, want := range map[string][]string{
		"sparsest": {"--candidates", "--method", "--time-limit"}, "sc-svc": {"--method", "--time-limit"}, "skde": {"--time-limit"},
	} {
		args := []string{"train", "--mem", "20MiB", "--force", "-o", model, "--method", method, data}
		if method == "sparsest" {
			args = append(args, "--max-iter", "20") // of thousands
		}
		r := command(t, "", args...)
		var named []string
		for _, try := range flag.FindAllString(r.stderr, -1) {
			words := strings.Fields(try)
			if named = append(named, words[0]); words[0] == "--time-limit" {
				words = append(words, "1h")
			}
			tried := command(t, "", append(slices.Clone(args), words...)...)
			if tried.code != session.Done && tried.code != session.Limit {
				t.Errorf("%s %v: status %d, want a model: %s", method, words, tried.code, tried.stderr)
			}
		}
		if named = slices.Compact(named); r.code != session.Failed || !slices.Equal(named, want) {
			t.Errorf("%s: status %d, %v, want %v: %s", method, r.code, named, want, r.stderr)
		}
	}
}

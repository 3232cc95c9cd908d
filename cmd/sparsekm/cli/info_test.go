package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// Only vectors that are rows of the training file are called training samples.
func TestInfoVectors(t *testing.T) {
	points := write(t, "samples.libsvm", strings.Repeat("-1 1:0 2:0.1\n-1 1:0.2 2:0\n1 1:1 2:1\n1 1:0.9 2:1.1\n", 10))
	given := write(t, "given.libsvm", "-1 1:0.1 2:0.1\n1 1:1 2:0.9\n")
	dir := t.TempDir()
	for _, c := range []struct{ name, args, want string }{
		{"svc.skm", "-m svc", " of 40 training samples\n"},
		{"svc.json", "-m svc", " of 40 training samples\n"},
		{"chosen.skm", "-m ssvc-b --candidates 4", " of 40 training samples\n"},
		{"given.skm", "-m ssvc-b --candidates " + given, ", trained on 40 samples\n"},
		{"given.json", "-m ssvc-b --candidates " + given, ", trained on 40 samples\n"},
		{"direct.skm", "-m direct --max-sv 2 --no-tune", "vectors   2, trained on 40 samples\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := filepath.Join(dir, c.name)
			must(t, append([]string{"train", "-o", model, points}, strings.Fields(c.args)...)...)
			if text := must(t, "info", model).stdout; !strings.Contains(text, c.want) {
				t.Errorf("found\n%swant %q", text, c.want)
			}
		})
	}
}

package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestConstant: a model that says one class of every sample is told so, and one that does not is not.
func TestConstant(t *testing.T) {
	var few strings.Builder // two features of noise, one sample in seven of the other class
	for i := range 56 {
		fmt.Fprintf(&few, "%d 1:%d 2:%d\n", 1-2*(min(1, i%7)), i*37%19, i*53%23)
	}
	data := write(t, "few.libsvm", few.String())
	const says = "every sample was given the same class"
	commands := []string{"cv -m svc --c 1e-3 --folds 3", "cv -m ssvc-b --c 1e-3 --folds 3",
		"tune -m svc --grid c=1e-4,1e-3 --folds 3"}
	if !testing.Short() {
		commands = append(commands, "fit --time 3s")
	}
	for _, args := range commands {
		r := command(t, "", append(strings.Fields(args), data)...)
		if r.code != 0 || !strings.Contains(r.stderr, says) {
			t.Errorf("%s: status %d, %q", args, r.code, r.stderr)
		}
	}
	r := must(t, "train", "-m", "svc", "--c", "1e-3", data)
	if !strings.Contains(r.stdout, "no better than its largest class") {
		t.Errorf("train: %q", r.stdout)
	}
	if r = must(t, "cv", "-m", "svc", "--folds", "3", ripley(t)); strings.Contains(r.stderr, says) {
		t.Errorf("of Ripley's samples: %q", r.stderr)
	}
}

package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
)

// TestTunes: train chooses C and γ of direct itself, unless the command line has them or --no-tune; so does cv.
func TestTunes(t *testing.T) {
	dir := t.TempDir()
	points := filepath.Join(dir, "points.libsvm")
	must(t, "gen", "gaussians", "--n", "60", "--out", points)
	for i, c := range []struct {
		args  []string
		tunes bool
	}{
		{nil, true}, {[]string{"--tune"}, true}, {[]string{"--no-tune"}, false}, {[]string{"--c", "2"}, false},
		{[]string{"--sigma", "1"}, false}, {[]string{"--gamma", "scale"}, false}, {[]string{"--c", "2", "--tune"}, true},
	} {
		out := filepath.Join(dir, string(rune('a'+i))+".json")
		r := must(t, append([]string{"train", "-m", "direct", "--max-sv", "2", "--json", "-o", out, points}, c.args...)...)
		var report struct{ Message string }
		if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(report.Message, "C = ") != c.tunes {
			t.Errorf("%v: %q, want C and γ chosen: %v", c.args, report.Message, c.tunes)
		}
	}
	if r := command(t, "", "train", "-m", "svc", "--no-tune", points); r.code == 0 {
		t.Error("svc takes --no-tune")
	}
}

// The axis of C begins at a tenth of the default, where that is less than 1.
func TestDefaultAxis(t *testing.T) {
	for method, want := range map[string][]float64{"ssvc-b": {0.1, 1, 10, 100, 1000}, "lssvm-chol": {0.1, 1, 10, 100, 1000},
		"skm": {0.001, 0.01, 0.1, 1, 10}} {
		m, err := sparsekm.Lookup(method)
		if err != nil {
			t.Fatal(err)
		}
		trainer, err := m.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		axes := defaultAxes(sparsekm.Options{Trainer: trainer}, false)
		if len(axes) != 1 || axes[0].name != "c" || !slices.Equal(axes[0].values, want) {
			t.Errorf("%s: %v, want c of %v", method, axes, want)
		}
	}
}

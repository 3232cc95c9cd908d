package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
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

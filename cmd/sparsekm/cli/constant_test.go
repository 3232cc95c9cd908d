package cli

import (
	"fmt"
	"path/filepath"
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
		commands = append(commands, "fit")
	}
	for _, args := range commands {
		r := command(t, "", append(strings.Fields(args), data)...)
		if r.code != 0 || !strings.Contains(r.stderr, says) {
			t.Errorf("%s: status %d, %q", args, r.code, r.stderr)
		}
	}
	r := must(t, "train", "-m", "svc", "--c", "1e-3", data)
	if !strings.Contains(lastLine(r.stderr), "no better than its largest class") {
		t.Errorf("train: %q", r.stderr)
	}
	if r = must(t, "cv", "-m", "svc", "--folds", "3", ripley(t)); strings.Contains(r.stderr, says) {
		t.Errorf("of Ripley's samples: %q", r.stderr)
	}
}

// TestWorthless: where the error is no less than that of the largest class or of the mean alone, the last line says so
// and what to try, whether it is that of training samples, test samples or folds; the status is 0.
func TestWorthless(t *testing.T) {
	var noise strings.Builder // values without any relation
	for i := range 60 {
		fmt.Fprintf(&noise, "%d,%d,%d\n", i*37%61, i*53%59, i*29%7)
	}
	values := write(t, "noise.csv", noise.String())
	classes := write(t, "classes.csv", strings.NewReplacer(",2\n", ",0\n", ",3\n", ",0\n", ",4\n", ",0\n", ",5\n", ",1\n",
		",6\n", ",1\n").Replace(noise.String()))
	text := "x,note,y\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,n %d,%s\n", i*37%61, i, []string{"u", "v", "u", "u"}[i*53%59%4])
	}
	notes := write(t, "notes.csv", text)
	for _, tt := range []struct{ args, says string }{
		{"train -m svr --task regress --gamma 1e9 --holdout 40% " + values, "mean of the targets alone (RMSE"},
		{"train -m svc --gamma 1e-9 -q " + classes, "no better than its largest class alone"},
		{"train -m svc --c 1e6 --gamma 1e5 --holdout 40% " + classes, "held out (40 %, stratified, seed 1): try "},
		{"cv -m svc --scale none --c 1e6 --gamma 1e5 " + classes, "no better than its largest class alone"},
		{"cv -m svc --scale none --c 1e6 --gamma 1e5 " + classes, "try --scale floored, a larger --c, another --gamma"},
		{"cv -m svc --c 1e-9 --folds 7 " + classes, "on 7 of 7 splits every sample was given the same class; no better than"},
		{"cv -m svr --task regress --c 100 --gamma 1e5 " + values, "no better than the mean of the targets alone"},
		{"tune -m svc --grid gamma=1e5 --grid c=1e6 " + classes, "no better than its largest class alone"},
		{"train -m svc --gamma 1e-9 " + notes, "; columns left out: note"},
		{"train -m svc --gamma 1e-9 --holdout 30% " + notes, "; columns left out: note"},
		{"cv -m svc --gamma 1e-9 --folds 2 " + notes, "; columns left out: note"},
		{"compare -q -m svc --grid gamma=1e-9 --folds 2 --inner 2 --ledger " + filepath.Join(t.TempDir(), "runs") + " " + notes,
			"its largest class alone (25 %): try another --method, another --scale; columns"},
	} {
		r := command(t, "", strings.Fields(tt.args)...)
		if r.code != 0 || !strings.Contains(lastLine(r.stderr), tt.says) {
			t.Errorf("%s: status %d, %q, want %q", tt.args, r.code, r.stderr, tt.says)
		}
	}
	zero := write(t, "zero.csv", "x,y\n1,0\n2,0\n3,0\n4,0\n5,0\n6,0\n")
	third := write(t, "third.csv", "x,z,y\n"+strings.Repeat("a,d,0.3333333333333333\nb,c,0.3333333333333333\n", 60))
	if r := must(t, "train", third); strings.Contains(r.stderr, "no better") || !strings.Contains(r.stdout, "RMSE 0 on") {
		t.Errorf("equal targets: %s%s", r.stdout, r.stderr)
	}
	for _, args := range []string{"train -m lssvm --task regress ", "cv -m lssvm --task regress --folds 3 "} {
		if r := must(t, strings.Fields(args+zero)...); strings.Contains(r.stderr, "no better") {
			t.Errorf("%s: no error at all, and %q", args, r.stderr)
		}
	}
	r := must(t, "cv", "-m", "svc", "--class-weight", "balanced", "--gamma", "1e5", classes)
	if strings.Contains(r.stderr, "its largest class alone") {
		t.Errorf("with weights: %q", r.stderr)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

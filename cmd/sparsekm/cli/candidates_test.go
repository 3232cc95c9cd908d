package cli

import (
	"strings"
	"testing"
)

// Candidates of a file: what goes is trained, what does not is refused with what was found, where, and what is wanted.
func TestCandidatesOfFile(t *testing.T) {
	file := func(name, text string) string { return write(t, name, text) }
	points := file("samples.libsvm", strings.Repeat("-1 1:0 2:0.1\n-1 1:0.2 2:0\n1 1:1 2:1\n1 1:0.9 2:1.1\n", 10))
	table := file("samples.csv", "a,b,label\n"+strings.Repeat("0,0.1,-1\n0.2,0,-1\n1,1,1\n0.9,1.1,1\n", 10))
	good := file("good.libsvm", "-1 1:0.1 2:0.1\n1 1:1 2:0.9\n")
	other := file("other.libsvm", "-1 1:0.1 2:0.1\n7 1:1 2:0.9\n")
	bare := file("bare.libsvm", "1:0.1 2:0.1\n1:1 2:0.9\n")
	columns := file("bare.csv", "a,b\n0.1,0.1\n1,0.9\n")
	given := "over the 2 given candidates"
	values := file("values.libsvm", strings.Repeat("0.5 1:0 2:0.1\n1.5 1:1 2:1\n2.5 1:2 2:1.5\n", 5))
	places := file("places.libsvm", "7.25 1:0.5 2:0.5\n-1 1:1.5 2:1\n")
	for _, c := range []struct {
		args string
		exit int
		want string
	}{
		{"train -m ssvc-b --candidates " + good + " " + points, 0, given},
		{"train -m ssvc-a --candidates " + good + " " + points, 0, given},
		{"train -m skm --candidates " + good + " " + points, 0, given},
		{"train -m ssvc-b --candidates " + other + " " + points, 0, given},
		{"train -m ssvc-b --candidates " + bare + " " + points, 0, given},
		{"train -m lpsvc --candidates " + columns + " " + table, 0, given},
		{"train -m ssvc-b --candidates 2 " + points, 0, "over 2 candidates of"},
		{"train -m ssvr-b --c 10 --candidates " + places + " " + values, 0, given},
		{"train -m ssvr-a --c 10 --candidates " + places + " " + values, 0, given},
		{"train -m l1svr --c 10 --candidates " + bare + " " + values, 0, given},
		{"train -m sparse-one-class --candidates " + places + " " + points, 0, given},
		{"train -m ssvc-b --candidates " + places + " " + points, 0, given},
		{"cv -m ssvc-b --folds 2 --candidates " + good + " " + points, 0, "error"},
		{"tune -m ssvc-b --grid c=1,10 --folds 2 --candidates " + good + " " + points, 0, "2 settings"},
		{"train -m l0svm --candidates " + other + " " + points, 1, `other.libsvm: sample 2: found class "7", want one of those of`},
		{"train -m l1svm --candidates " + bare + " " + points, 1, "bare.libsvm: found no labels, but coefficients of l1svm"},
		{"train -m ssvc-b --candidates " + file("d.libsvm", "1 1:1\n") + " " + points, 1, "d.libsvm: found 1 features, want 2"},
		{"train -m ssvc-b --candidates " + file("x.libsvm", "1 1:x\n") + " " + points, 1, `x.libsvm:1:5: found "x", want a finite number`},
		{"train -m ssvc-b --candidates " + file("empty", "") + " " + points, 1, "empty: found no samples"},
		{"train -m ssvc-b --candidates nowhere " + points, 1, "open nowhere"},
		{"train -m svc --candidates " + good + " " + points, 2, "which is no number; of a file takes them l0svm"},
		{"train -m kmp --candidates " + good + " " + points, 2, "which is no number; of a file takes them l0svm"},
		{"train -m ssvc-b --candidates= " + points, 2, "--candidates: found an empty text, want a value"},
		{"train -m ssvc-b --candidates --quiet " + points, 2, "--candidates: found --quiet, want a number or a file"},
		{"train -m ssvc-b --candidates -3 " + points, 2, "--candidates: found -3, want a whole number"},
		{"train -m ssvc-a --param c1=1 --candidates " + good + " " + points, 1, "candidates go with no combined objective"},
		{"train -m ssvc-b --out " + good + " --force --candidates " + good + " " + points, 2, "--out"},
	} {
		t.Run(c.args, func(t *testing.T) {
			r := command(t, "", strings.Fields(c.args)...)
			if r.code != c.exit || !strings.Contains(r.stdout+r.stderr, c.want) {
				t.Errorf("exit %d, want %d with %q; wrote\n%s%s", r.code, c.exit, c.want, r.stdout, r.stderr)
			}
		})
	}
}

// TestAllCandidates: all is a word for -1, not the name of a file.
func TestAllCandidates(t *testing.T) {
	trained := func(candidates string) string {
		report, _, _ := strings.Cut(must(t, "train", "--json", "--candidates="+candidates, ripley(t)).stdout, `"seconds"`)
		return report
	}
	if all := trained("all"); all != trained("-1") || all == trained("20") {
		t.Error(all)
	}
}

package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
)

// kept writes samples of three features that say something at places 1, 4 and 6 of seven, as CSV with or without a
// header
// or as LIBSVM text: all columns, or those three.
func kept(t *testing.T, format string, all bool) string {
	set, rnd := dataset.Twonorm(300, 1), dataset.NewRand(2)
	var b strings.Builder
	if format == "named" {
		b.WriteString(map[bool]string{true: "label,a,b,c,d,e,f,g\n", false: "f,d,label,a\n"}[all])
	}
	for i := range set.N {
		x, y := make([]float64, 7), 2*set.Y[i]-1
		for k := range x {
			x[k] = rnd.NormFloat64()
		}
		for k, at := range []int{0, 3, 5} {
			x[at] = 3 * set.Row(i)[k]
		}
		switch {
		case format == "libsvm":
			fmt.Fprint(&b, y)
			for k, v := range x {
				if all || k == 0 || k == 3 || k == 5 {
					fmt.Fprintf(&b, " %d:%v", k+1, v)
				}
			}
			b.WriteByte('\n')
		case format == "named" && all:
			fmt.Fprintln(&b, strings.Trim(strings.ReplaceAll(fmt.Sprint(y, x), " ", ","), "]"))
		case format == "named":
			fmt.Fprintf(&b, "%v,%v,%d,%v\n", x[5], x[3], y, x[0])
		case all:
			fmt.Fprintf(&b, "%s,%d\n", strings.Trim(strings.ReplaceAll(fmt.Sprint(x), " ", ","), "[]"), y)
		default:
			fmt.Fprintf(&b, "%v,%v,%v,%d\n", x[0], x[3], x[5], y)
		}
	}
	return write(t, fmt.Sprintf("%s-%v.txt", format, all), strings.ReplaceAll(b.String(), "[", ""))
}

// A model of ssvc-features or ssvc-features-b asks for the features that it has kept:
// by name, by place or by number, and says which.
func TestFeatures(t *testing.T) {
	for format, want := range map[string]string{"named": "a, d, f", "bare": "1, 4, 6", "libsvm": "1, 4, 6"} {
		for _, method := range []string{"ssvc-features", "ssvc-features-b"} {
			for _, squares := range []string{"squares=false", "squares"} {
				keptFeatures(t, format, want, method, squares)
			}
		}
	}
	for _, flag := range []string{"--kernel=rbf", "--gamma=1", "--widths=learned", "--refit"} {
		if r := command(t, "", "train", "-m", "ssvc-features", flag, ripley(t)); r.code != 2 {
			t.Errorf("%s: status %d, %s", flag, r.code, r.stderr)
		}
	}
	r := command(t, "", "train", "-m", "ssvc-features", "--param", "ranked", "--max-iter=3", ripley(t))
	if r.code != session.Usage || !strings.Contains(r.stderr, "of which ranked has one") {
		t.Errorf("rounds of a ranking are limited: status %d, %s", r.code, r.stderr)
	}
	must(t, "tune", "-m", "ssvc-features", "--folds", "2", "--grid", "c=1,10", ripley(t))
}

// keptFeatures holds a model of three features to its word: it says which ones, and decides by them alone.
func keptFeatures(t *testing.T, format, want, method, squares string) {
	model := filepath.Join(t.TempDir(), "m.skm")
	args := []string{"train", "--method", method, "--param", squares, "--c", "0.2", "--out", model}
	if format == "named" {
		args = append(args, "--label-column", "label")
	}
	report := must(t, append(args, kept(t, format, true))...).stdout
	if text := "it asks for 3 of 7 features: " + want; !strings.Contains(report, text) ||
		!strings.Contains(must(t, "info", model).stdout, text) {
		t.Errorf("%s, %s: no %q in\n%s", method, format, text, report)
	}
	all := must(t, "predict", "--decisions", model, kept(t, format, true))
	few := must(t, "predict", "--decisions", model, kept(t, format, false))
	if all.stdout != few.stdout || !strings.HasPrefix(few.stderr, "error ") || few.stderr != all.stderr {
		t.Errorf("%s, %s: %s of all features, %s of those kept", method, format, all.stderr, few.stderr)
	}
}

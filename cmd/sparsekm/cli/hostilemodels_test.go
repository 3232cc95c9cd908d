package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// modelCases gives models that are broken to everything that reads one.
func modelCases(t *testing.T, f fixture) (cases []hostile) {
	add := func(what, file, text, says string) {
		for _, args := range [][]string{
			{"predict", "-o", "OUT", "IN", "DATA"}, {"info", "IN"}, {"convert", "IN", "--to", "json", "-o", "OUT"},
			{"reduce", "IN", "--max-sv", "2", "-o", "OUT"}, {"verify", "IN", "--against", "LABELS", "DATA"},
		} {
			cases = append(cases, hostile{what: what, file: file, text: text, args: args, says: says, code: session.Failed})
		}
	}
	raw := filepath.Join(t.TempDir(), "raw.skm") // LIBSVM's format has no scaling
	must(t, "train", "-m", "svc", "--scale", "none", "-o", raw, f["DATA"])
	read := func(format string) string {
		name := filepath.Join(t.TempDir(), "m")
		must(t, "convert", raw, "--to", format, "-o", name)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	skm := read("skm")
	for _, part := range []int{0, 1, 3, 5, 7} {
		add(fmt.Sprintf("skm, %d/8 of it", part), "bad.skm", skm[:len(skm)*part/8], "bad.skm")
	}
	for _, part := range []int{0, 2, 4, 6, 7} {
		add(fmt.Sprintf("skm, flipped at %d/8", part), "bad.skm", flip(skm, len(skm)*part/8), "bad.skm")
	}
	add("skm and a byte", "bad.skm", skm+"x", "bad.skm")
	replaced := func(format, text string, pairs ...[3]string) {
		for _, p := range pairs {
			changed := strings.Replace(text, p[1], p[2], 1)
			if changed == text {
				t.Errorf("%s: no %q in %.200q", p[0], p[1], text)
			}
			add(format+", "+p[0], "bad."+format, changed, "bad."+format)
		}
	}
	replaced("json", read("json"), [][3]string{
		{"NaN", `"intercept":`, `"intercept":NaN,"x":`}, {"overflow", `"gamma":`, `"gamma":1e999,"x":`},
		{"no width", `"gamma":`, `"gamma":0,"x":`}, {"unknown field", `"gamma":`, `"gama":`},
		{"width below 0", `"gamma":`, `"gamma":-`},
		{"unknown kernel", `"kernel":"rbf"`, `"kernel":"magic"`}, {"later version", `"version":`, `"version":9`},
		{"class that is none", `"positive":1`, `"positive":7`}, {"no models", `"submodels":[`, `"submodels":[],"x":[`},
		{"vector that is none", `"vectors":[0`, `"vectors":[99`}, {"vector below 0", `"vectors":[0`, `"vectors":[-1`},
		{"features that are not there", `"n_features_in":2`, `"n_features_in":3`},
		{"huge count", `"n_features_in":2`, `"n_features_in":2000000000`},
		{"text for a number", `"intercept":`, `"intercept":"0"`},
		{"another coefficient", `"dual_coef":[`, `"dual_coef":[1,`}, {"two models", "}\n", "}{}\n"},
		{"half", `"support_vectors"`, "\x00"},
	}...)
	replaced("model", read("libsvm"), [][3]string{
		{"another kind", "svm_type c_svc", "svm_type epsilon_svr"}, {"unknown kernel", "rbf", "magic"},
		{"huge count", "total_sv ", "total_sv 99999999999"}, {"one vector more", "total_sv ", "total_sv 1"},
		{"no width", "gamma ", "gama "}, {"NaN width", "gamma ", "gamma nan "}, {"NaN threshold", "rho ", "rho nan "},
		{"two classes more", "nr_class 2", "nr_class 4"}, {"no class", "nr_class 2", "nr_class 0"},
		{"counts below 0", "nr_sv ", "nr_sv -"}, {"no vectors", "SV\n", "SV\nrubbish"},
		{"NaN feature", " 1:", " 1:nan "}, {"index below 0", " 1:", " -1:"}, {"labels alike", "label 1 -1", "label 1 1"},
	}...)
	return cases
}

// programCases are linear programs that are none, or have no optimum.
func programCases() (cases []hostile) {
	add := func(what, text, says string) {
		cases = append(cases, hostile{what: what, file: "a.mps", text: text, args: []string{"lp", "IN"}, code: session.Failed,
			says: says})
	}
	for _, p := range [][3]string{
		{"a row that is none", " x  c  3", " x  d  3"}, {"a column twice", "    y  c  2", "    y  c  2\n    x  a  1"},
		{"NaN", "x  c  3", "x  c  nan"},
		{"infinite", "x  c  3", "x  c  inf"}, {"overflow", "x  c  3", "x  c  1e400"}, {"no number", "x  c  3", "x  c"},
		{"text", "x  c  3", "x  c  three"}, {"a row twice", " L  b", " L  a"}, {"a sense that is none", " L  b", " Q  b"},
		{"an unknown section", "RHS", "MAGIC"}, {"no end", "ENDATA\n", ""}, {"no rows", "ROWS", "COLUMNS"},
		{"a right side of no row", "rhs  c  18", "rhs  d  18"},
		{"a bound of no kind", "ENDATA", "BOUNDS\n XX b x 3\nENDATA"}, {"a NaN bound", "ENDATA", "BOUNDS\n UP b x nan\nENDATA"},
		{"bounds that cross", "ENDATA", "BOUNDS\n LO b x 4\n UP b x 3\nENDATA"},
		{"a range of no row", "ENDATA", "RANGES\n    r  d  3\nENDATA"}, {"binary", "NAME", "\x00\x01NAME"},
		{"infeasible", "rhs  c  18", "rhs  c  -1"},
	} {
		add(p[0], strings.Replace(plan, p[1], p[2], 1), "a.mps")
	}
	add("empty", "", "a.mps")
	add("points", plainData, "a.mps")
	add("a model", "svm_type c_svc\nkernel_type rbf\n", "a.mps")
	add("half of it", plan[:len(plan)/2], "a.mps")
	add("gzip cut off", zipped(plan)[:50], "a.mps")
	return cases
}

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestConvert takes a model through every format and wants the same predictions,
// in ours and JSON the same decisions.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ripley.train.libsvm", "iris.libsvm"} {
		data, skm := testutil.Testdata(t, name), filepath.Join(dir, name+".skm")
		must(t, "train", "--method", "svc", "--multiclass", "ovo", "--scale", "none", "--out", skm, data)
		predictions := filepath.Join(dir, name+".out")
		must(t, "predict", "--decisions", "--out", predictions, skm, data)
		for _, format := range []string{"skm", "json", "libsvm"} {
			converted, back := filepath.Join(dir, name+".to."+format), filepath.Join(dir, name+".back")
			must(t, "convert", skm, "--to", format, "--out", converted)
			must(t, "convert", converted, "--to", "skm", "--out", back)
			if format == "libsvm" { // its vectors are in another order, its sums rounded in another way
				must(t, "verify", back, "--against", predictions, "--tolerance", "1e-9", data)
			} else {
				must(t, "verify", back, "--against", predictions, "--tolerance", "0", data)
				want, err1 := os.ReadFile(skm)
				got, err2 := os.ReadFile(back)
				if err1 != nil || err2 != nil || !slices.Equal(got, want) {
					t.Errorf("%s by way of %s is another file", name, format)
				}
			}
		}
	}
}

func TestConvertRefuses(t *testing.T) {
	dir := t.TempDir()
	scaled := filepath.Join(dir, "scaled.skm")
	must(t, "train", "--method", "svc", "--scale", "zscore", "--out", scaled, ripley(t))
	out := filepath.Join(dir, "new", "x.model")
	if err := os.Mkdir(filepath.Dir(out), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := command(t, "", "convert", scaled, "--to", "libsvm", "--out", out); r.code != session.Failed ||
		!strings.Contains(r.stderr, "(--split-scaling FILE writes it") {
		t.Errorf("scaled model to LIBSVM: status %d, %q", r.code, r.stderr)
	}
	if files, _ := os.ReadDir(filepath.Dir(out)); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
	for _, args := range [][]string{{scaled, "--out", out}, {scaled, "--to", "pmml", "--out", out},
		{scaled, "--to", "skm"}, {scaled, "--to", "skm", "--out", "-", "--json"}} {
		if r := command(t, "", append([]string{"convert"}, args...)...); r.code != session.Usage {
			t.Errorf("convert %v: status %d, %q", args, r.code, r.stderr)
		}
	}
}

// TestSplitScaling writes the scaling of a model next to it: samples that are scaled by it have the
// decisions that the raw samples had.
func TestSplitScaling(t *testing.T) {
	dir := t.TempDir()
	data := testutil.Testdata(t, "diabetis.libsvm")
	set, err := dataset.ReadFile(data, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"zscore", "minmax"} {
		file := func(name string) string { return filepath.Join(dir, kind+name) }
		must(t, "train", "--method", "svc", "--scale", kind, "--out", file(".skm"), data)
		must(t, "predict", "--decisions", "--out", file(".raw"), file(".skm"), data)
		must(t, "convert", file(".skm"), "--to", "libsvm", "--split-scaling", file(".range"), "--out", file(".model"))
		text, err := os.ReadFile(file(".range"))
		if err != nil {
			t.Fatal(err)
		}
		scaling, err := dataset.ReadRange(bytes.NewReader(text), "range", set.D)
		if err != nil {
			t.Fatal(err)
		}
		var scaled bytes.Buffer
		if err = scaling.Apply(set).WriteLIBSVM(&scaled); err != nil {
			t.Fatal(err)
		}
		points := write(t, "scaled.libsvm", scaled.String())
		must(t, "verify", file(".model"), "--against", file(".raw"), "--tolerance", "1e-9", points)
		r := command(t, "", "convert", file(".model"), "--to", "skm", "--split-scaling", file(".r"), "--out", file(".back"))
		if r.code != session.Failed || !strings.Contains(r.stderr, "has no scaling") {
			t.Errorf("a model without scaling: status %d, %q", r.code, r.stderr)
		}
	}
}

// TestFoldedScaling takes a scaled linear model to LIBSVM's format in one file of raw features.
func TestFoldedScaling(t *testing.T) {
	data := testutil.Testdata(t, "diabetis.libsvm")
	for _, kind := range []string{"zscore", "minmax", "auto"} {
		dir := t.TempDir()
		file := func(name string) string { return filepath.Join(dir, name) }
		must(t, "train", "--method", "svc", "--kernel", "linear", "--scale", kind, "--out", file("m.skm"), data)
		must(t, "predict", "--decisions", "--out", file("want"), file("m.skm"), data)
		must(t, "convert", file("m.skm"), "--to", "libsvm", "--out", file("m.model"))
		must(t, "verify", file("m.model"), "--against", file("want"), "--tolerance", "1e-8", data)
	}
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "m.skm")
	must(t, "train", "--method", "svc", "--out", model, ripley(t))
	labels := strings.Fields(must(t, "predict", model, ripley(t)).stdout)
	file := func(name string, lines []string) string {
		return write(t, name, strings.Join(lines, "\n")+"\n")
	}
	if o := object(t, "verify", model, "--against", file("same", labels), ripley(t)); o["differ"] != 0.0 ||
		o["agreement"] != 1.0 || o["decision_difference"] != nil {
		t.Errorf("own predictions: %v", o)
	}
	probable := []string{"labels 1 -1"}
	for _, l := range labels {
		probable = append(probable, l+" 0.5 0.5")
	}
	must(t, "verify", model, "--against", file("probabilities", probable), ripley(t))

	other := slices.Clone(labels)
	other[7] = map[string]string{"1": "-1", "-1": "+1"}[labels[7]]
	r := command(t, "", "verify", model, "--against", file("other", other), ripley(t))
	if r.code != session.Failed || !strings.Contains(r.stdout, "249 of 250") || !strings.Contains(r.stdout, "row 7") {
		t.Errorf("one label differs: status %d, %q", r.code, r.stdout)
	}
	if r := command(t, "", "verify", model, "--against", file("short", labels[1:]), ripley(t)); r.code != session.Failed ||
		!strings.Contains(r.stderr, "found 249 predictions, want 250") {
		t.Errorf("a line is missing: status %d, %q", r.code, r.stderr)
	}
}

func TestGen(t *testing.T) {
	for problem, d := range map[string]float64{"ringnorm": 20, "twonorm": 20, "waveform": 21, "gaussians": 2,
		"pelegmeir": 2} {
		path := filepath.Join(t.TempDir(), "x.csv")
		o := object(t, "gen", problem, "-n", "50", "--seed", "7", "--to", "csv", "--out", path)
		if o["n"] != 50.0 || o["d"] != d {
			t.Errorf("%s: %v", problem, o)
		}
		text := must(t, "gen", problem, "-n", "50", "--seed", "7").stdout
		if strings.Count(text, "\n") != 50 || text != must(t, "gen", problem, "-n", "50", "--seed", "7").stdout ||
			text == must(t, "gen", problem, "-n", "50", "--seed", "8").stdout {
			t.Errorf("%s: the seed does not decide", problem)
		}
		a := object(t, "train", "--method", "svc", "--scale", "none", path)
		b := object(t, "train", "--method", "svc", "--scale", "none", write(t, "x.libsvm", text))
		if a["train_error"] != b["train_error"] || a["sv"] != b["sv"] {
			t.Errorf("%s: CSV and LIBSVM train differently", problem)
		}
	}
	for _, args := range [][]string{{"magic"}, {"ringnorm", "-n", "0"}, {"pelegmeir", "--param", "flip=2"},
		{"gaussians", "--param", "variance=0"}, {"gaussians", "--param", "flips=-1"}, {"ringnorm", "--json"}} {
		if r := command(t, "", append([]string{"gen"}, args...)...); r.code != session.Usage || r.stdout != "" {
			t.Errorf("gen %v: status %d, %q", args, r.code, r.stderr)
		}
	}
}

func TestMethods(t *testing.T) {
	text, list := must(t, "methods").stdout, object(t, "methods")["methods"].([]any)
	if len(list) != len(sparsekm.Methods()) {
		t.Errorf("%d methods in JSON, %d in all", len(list), len(sparsekm.Methods()))
	}
	for i, m := range sparsekm.Methods() {
		if !strings.Contains(text, m.Name) {
			t.Errorf("methods does not list %s", m.Name)
		}
		o := list[i].(map[string]any)
		if o["name"] != m.Name || o["about"] != m.About || o["paper"] != m.Paper || o["validation"] != m.Validation {
			t.Errorf("%s in JSON: %v", m.Name, o)
		}
		for k, p := range m.Params() {
			if o["parameters"].([]any)[k] != p.Name || o["doc"].(map[string]any)[p.Name] != p.Doc ||
				!strings.Contains(text, shownName(p.Name)) {
				t.Errorf("parameter %s of %s: %v", p.Name, m.Name, o)
			}
			if got := o["range"].(map[string]any)[p.Name]; p.Range.Text != "" && got != p.Range.Text {
				t.Errorf("%s of %s has the range %v, want %s", p.Name, m.Name, got, p.Range.Text)
			}
		}
		if m.Name == "svc" && (o["defaults"].(map[string]any)["tolerance"] != 1e-3 || o["dumps_lp"] != false) ||
			m.Name == "skm" && o["dumps_lp"] != true {
			t.Errorf("%s in JSON: %v", m.Name, o)
		}
	}
}

// TestSeveralClasses trains iris in all three ways, with both kinds of kernel.
func TestSeveralClasses(t *testing.T) {
	data := testutil.Testdata(t, "iris.libsvm")
	for _, args := range [][]string{{"ovr"}, {"ovo"}, {"pairwise-fuzzy"}, {"pairwise-fuzzy", "--kernel", "mahalanobis"}} {
		model := filepath.Join(t.TempDir(), "m.skm")
		o := object(t, append([]string{"train", "--method", "lssvm-lda", "--out", model, data, "--multiclass"}, args...)...)
		machines := o["submodels"].([]any)
		if len(machines) != 3 || o["status"] != "optimal" || !(o["train_error"].(float64) <= 0.04) {
			t.Errorf("%v: %d models, status %v, error %v", args, len(machines), o["status"], o["train_error"])
		}
		used := make(map[float64]bool)
		for _, m := range machines {
			for _, row := range m.(map[string]any)["support"].([]any) {
				used[row.(float64)] = true
			}
		}
		if len(used) != int(o["sv"].(float64)) {
			t.Errorf("%v: %d distinct rows in the models, sv is %v", args, len(used), o["sv"])
		}
		if p := object(t, "predict", model, data); p["error"] != o["train_error"] {
			t.Errorf("%v: predict has error %v, train %v", args, p["error"], o["train_error"])
		}
		if text := must(t, "info", model).stdout; strings.Count(text, "submodel") != 3 {
			t.Errorf("%v: info prints\n%s", args, text)
		}
	}
	if r := command(t, "", "train", "--multiclass", "magic", data); r.code != session.Usage {
		t.Errorf("unknown scheme: status %d", r.code)
	}
	if r := command(t, "", "train", "--kernel", "mahalanobis", "--param", "delta=0", data); r.code != session.Usage {
		t.Errorf("delta 0: status %d", r.code)
	}
}

// TestSplitScalingIsWhole holds that a model which the format cannot hold leaves no range file either.
func TestSplitScalingIsWhole(t *testing.T) {
	dir := t.TempDir()
	named, scaling, out := filepath.Join(dir, "m.skm"), filepath.Join(dir, "range"), filepath.Join(dir, "m.model")
	must(t, "train", "-m", "svc", "--scale", "zscore", "-o", named, write(t, "d.csv", plainText))
	r := command(t, "", "convert", named, "--to", "libsvm", "-o", out, "--split-scaling", scaling)
	files, err := os.ReadDir(dir)
	if r.code != session.Failed || !strings.Contains(r.stderr, "integers only") || err != nil || len(files) != 1 {
		t.Errorf("status %d, %q; %v, %v", r.code, r.stderr, files, err)
	}
}

// TestTrainedFormat goes by the ending of the name.
func TestTrainedFormat(t *testing.T) {
	for name, begins := range map[string]string{"m.json": "{", "m.skm": "sparsekm", "m.model": "sparsekm", "m": "sparsekm"} {
		out := filepath.Join(t.TempDir(), name)
		must(t, "train", "-m", "svc", "-o", out, ripley(t))
		if text, err := os.ReadFile(out); err != nil || !strings.HasPrefix(string(text), begins) {
			t.Errorf("%s begins with %.9q (%v)", name, text, err)
		}
	}
}

// Programs are named for their file, replace one another but nothing else, and take no flag that changes nothing.
func TestConvertToPrograms(t *testing.T) {
	dir := t.TempDir()
	skm := filepath.Join(dir, "m.skm")
	must(t, "train", "--sigma", "0.5", "--scale", "zscore", "--out", skm, ripley(t))
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, tt := range map[string]struct {
		args []string
		want []string
	}{
		"my-model.h":  {[]string{"--to", "c"}, []string{"int my_model_predict(const double *x)", "#ifndef MY_MODEL_H"}},
		"small.h":     {[]string{"--to", "c-float", "--name", "tiny"}, []string{"int tiny_predict(const float *x)"}},
		"fixed.h":     {[]string{"--to", "c-fixed"}, []string{"int32_t fixed_predict(const int16_t *features, int32_t features_length)"}},
		"ripley.go":   {[]string{"--to", "go"}, []string{"package ripley\n", "func Predict(x *[Features]float64) int {"}},
		"ripley.onnx": {[]string{"--to", "onnx"}, []string{"sparsekm", "MatMul", "decisions"}},
		"op.onnx":     {[]string{"--to", "onnx-svmclassifier"}, []string{"ai.onnx.ml", "SVMClassifier", "scores"}},
	} {
		args := append([]string{"convert", skm, "--out", filepath.Join(dir, name)}, tt.args...)
		must(t, args...)
		must(t, args...) // replaces itself
		for _, want := range tt.want {
			if !strings.Contains(read(name), want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
	notes := filepath.Join(dir, "notes.h")
	if err := os.WriteFile(notes, []byte("a text of somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := command(t, "", "convert", skm, "--to", "c", "--out", notes)
	if r.code != session.Failed || !strings.Contains(r.stderr, "no program of sparsekm convert; --force replaces it") ||
		read("notes.h") != "a text of somebody's" {
		t.Errorf("a text as --out: status %d, %q", r.code, r.stderr)
	}
	must(t, "convert", skm, "--to", "c", "--force", "--out", notes)
	for want, args := range map[string][]string{

		"--name has no effect on --to json":  {"--to", "json", "--name", "x"},
		`"1x" cannot be a name in a program`: {"--to", "c", "--name", "1x"},
	} {
		r := command(t, "", append([]string{"convert", skm, "--out", filepath.Join(dir, "new")}, args...)...)
		if r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: status %d, %q, want %q", args, r.code, r.stderr, want)
		}
	}
	if r := command(t, "", "predict", filepath.Join(dir, "my-model.h"), ripley(t)); r.code == 0 {
		t.Error("a program was read as a model")
	}
}

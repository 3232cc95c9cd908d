package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCategoriesLearned trains with a value for each word, and follows the model through every command that takes it.
func TestCategoriesLearned(t *testing.T) {
	columns := []string{"age", "city", "income", "churn"}
	data, dir := customers(t, 300, columns...), t.TempDir()
	for _, method := range []string{"direct", "svc"} {
		model := filepath.Join(dir, method+".skm")
		j := object(t, "train", "--method", method, "--out", model, "--categorical", "city", "--missing", "median",
			"--categories", "learned", "--gamma", "scale", "--test", data, "--json", data)
		cities := j["values"].(map[string]any)["city"].(map[string]any)
		if j["d"] != 3.0 || len(cities) != 3 || j["test_error"].(float64) > 0.1 {
			t.Errorf("%s: %v features, values %v, error %v", method, j["d"], cities, j["test_error"])
		}
		want := must(t, "predict", "--decisions", model, data)
		other := must(t, "predict", "--decisions", model, customers(t, 300, "churn", "income", "city", "age"))
		if want.stdout != other.stdout {
			t.Errorf("%s: other predictions for columns in another order", method)
		}
		info := must(t, "info", model).stdout
		if method == "svc" && !strings.Contains(info, "city (values of 3 categories)") {
			t.Errorf("info says\n%s", info)
		}
		text, small := filepath.Join(dir, method+".json"), filepath.Join(dir, method+".small.skm")
		must(t, "convert", "--to", "json", "--out", text, model)
		if got := must(t, "predict", "--decisions", text, data); got.stdout != want.stdout {
			t.Errorf("%s: other predictions of the model in JSON", method)
		}
		must(t, "reduce", "--move", "--max-sv", "2", "--train", data, "--out", small, model)
		if got := object(t, "info", "--json", small); !slices.ContainsFunc(got["features"].([]any),
			func(v any) bool { return v == "city" }) {
			t.Errorf("%s: features %v of the reduced model", method, got["features"])
		}
		header := filepath.Join(dir, method+".h")
		must(t, "convert", "--to", "c", "--out", header, model)
	}
	got := must(t, "cv", "--method", "direct", "--max-sv", "4", "--categories", "learned-2", "--categorical", "city",
		"--missing", "median", data)
	if !strings.Contains(got.stdout, "error") {
		t.Errorf("cv says\n%s", got.stdout)
	}
	if r := command(t, "", "train", "--method", "direct", "--categories", "learned", ripley(t)); r.code == 0 ||
		!strings.Contains(r.stderr, "no column of two categories") {
		t.Errorf("without categories: %d, %q", r.code, r.stderr)
	}
}

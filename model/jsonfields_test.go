package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
)

// decisionsOf is what a model says of some rows: nothing a reader may change silently.
func decisionsOf(c *Classifier, x []float64, n int) []float64 {
	f := make([]float64, n*c.NumSubmodels())
	c.DecideBatch(f, x, n, 1)
	return f
}

// without returns the JSON of v, an object that edit changes first.
func without(t *testing.T, data []byte, edit func(map[string]any)) []byte {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	edit(v)
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A JSON model that lacks a field is refused, unless the field is a note that no decision
// depends on, one that is left out when it is 0, or the whole of the scaling, which
// models of scaled samples do not have.
func TestJSONWithoutAField(t *testing.T) {
	optional := []string{
		"method", "params", "n_samples_fit", "support", "probability_stale", "n_features_known", "coef0",
	}
	for _, scheme := range schemes {
		rnd := rand.New(rand.NewPCG(5, uint64(scheme)))
		parts := randomParts(rnd, scheme, gram.Poly(2, 0.5, 0), 6, 3)
		parts.Scaling.Kind, parts.Scaling.Lo, parts.Scaling.Hi = dataset.ScaleMinMax, -1, 1
		c := mustNew(t, parts)
		x := randomRows(rnd, 20, 3)
		want := decisionsOf(c, x, 20)
		data, err := c.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		for part, of := range map[string]func(map[string]any) map[string]any{
			"model":     func(v map[string]any) map[string]any { return v },
			"scaling":   func(v map[string]any) map[string]any { return v["scaling"].(map[string]any) },
			"submodels": func(v map[string]any) map[string]any { return v["submodels"].([]any)[0].(map[string]any) },
		} {
			var names []string
			without(t, data, func(v map[string]any) { names = slices.Sorted(maps.Keys(of(v))) })
			for _, name := range names {
				if name == "scaling" {
					continue
				}
				cut := without(t, data, func(v map[string]any) { delete(of(v), name) })
				back, _, err := Read(bytes.NewReader(cut), "f")
				switch {
				case err != nil && slices.Contains(optional, name):
					t.Errorf("%v: %s without %q: %v, but it may be absent", scheme, part, name, err)
				case err == nil && !slices.Contains(optional, name):
					t.Errorf("%v: %s without %q is accepted", scheme, part, name)
				case err == nil && !slices.Equal(decisionsOf(back, x, 20), want):
					t.Errorf("%v: %s without %q decides otherwise", scheme, part, name)
				}
			}
		}
	}
}

// The error names what is missing.
func TestJSONWithoutIntercept(t *testing.T) {
	c := mustNew(t, randomParts(rand.New(rand.NewPCG(6, 7)), OneVsRest, gram.RBF(1), 5, 2))
	data, err := c.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"intercept", "positive", "negative"} {
		cut := without(t, data, func(v map[string]any) { delete(v["submodels"].([]any)[2].(map[string]any), name) })
		const want = "submodel 2 without "
		_, _, err := Read(bytes.NewReader(cut), "f")
		if err == nil || !strings.Contains(err.Error(), want+`"`+name+`"`) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

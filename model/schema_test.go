package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// schema is as much of JSON Schema as docs/model.schema.json uses.
type schema struct {
	Type       any // a word or several
	Const      any
	Enum       []any
	Ref        string `json:"$ref"`
	Minimum    *float64
	MinItems   int
	Required   []string
	Properties map[string]*schema
	Additional json.RawMessage `json:"additionalProperties"`
	Items      *schema
	Defs       map[string]*schema `json:"$defs"`
}

// complaints lists what is wrong with v, a value of encoding/json.
func (s *schema) complaints(root *schema, at string, v any) (all []string) {
	if s.Ref != "" {
		return root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")].complaints(root, at, v)
	}
	fail := func(format string, args ...any) { all = append(all, at+": "+fmt.Sprintf(format, args...)) }
	if s.Const != nil && v != s.Const || s.Enum != nil && !slices.Contains(s.Enum, v) {
		fail("%v is none of the values", v)
	}
	kind := ""
	switch v := v.(type) {
	case nil:
		kind = "null"
	case bool:
		kind = "boolean"
	case string:
		kind = "string"
	case float64:
		kind = "number"
		if s.Minimum != nil && !(v >= *s.Minimum) || s.Type == "integer" && v != math.Trunc(v) {
			fail("%v is too small or no integer", v)
		}
	case []any:
		kind = "array"
		if len(v) < s.MinItems {
			fail("%d items", len(v))
		}
		for i := range v {
			all = append(all, s.Items.complaints(root, fmt.Sprintf("%s[%d]", at, i), v[i])...)
		}
	case map[string]any:
		kind = "object"
		all = append(all, s.object(root, at, v)...)
	}
	types, several := s.Type.([]any)
	if !several {
		types = []any{s.Type}
	}
	if s.Type != nil && !slices.Contains(types, any(kind)) && !(s.Type == "integer" && kind == "number") {
		fail("%s, want %v", kind, s.Type)
	}
	return all
}

func (s *schema) object(root *schema, at string, v map[string]any) (all []string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			all = append(all, at+": no "+name)
		}
	}
	others := new(schema)
	if string(s.Additional) != "false" {
		_ = json.Unmarshal(s.Additional, others) // the test's own look finds what it is not
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		p := s.Properties[name]
		if p == nil && string(s.Additional) == "false" {
			all = append(all, at+": unknown "+name)
			continue
		} else if p == nil {
			p = others
		}
		all = append(all, p.complaints(root, at+"."+name, v[name])...)
	}
	return all
}

func readSchema(t *testing.T) *schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", "model.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	s := new(schema)
	if err = json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchema holds models of every scheme and kernel, with and without what may be absent, against the schema.
func TestSchema(t *testing.T) {
	s, rnd := readSchema(t), rand.New(rand.NewPCG(8, 9))
	all := kernels(3)
	all["custom"], all["laplacian"] = cauchy, gram.Laplacian(0.5)
	all["rational"], all["matern"] = gram.RationalQuadratic(1.5, 0.5), gram.Matern52(0.5)
	models := []*Classifier{columnModel(t), mustNew(t, taskParts(learn.Regress)), mustNew(t, taskParts(learn.OneClass)),
		mustNew(t, uncertainParts()), mustNew(t, coveringParts()), mustNew(t, sparseParts(OneVsRest, gram.RBF(0.5)))}
	for _, kernel := range all {
		for _, scheme := range schemes {
			p := randomParts(rnd, scheme, kernel, 6, 3)
			models = append(models, mustNew(t, p))
			p.Submodels[0].Kernel = &kernel
			p.Scaling = &dataset.Scaling{Kind: dataset.ScaleMinMax, Lo: -1, Hi: 1, Center: []float64{1, 2, 3},
				Spread: []float64{1, 0, 2}}
			p.Rows, p.Platt, p.Params, p.Trained, p.Features = nil, nil, nil, 0, 0
			models = append(models, mustNew(t, p))
			p.Submodels[0].Support, p.Submodels[0].Coef = nil, nil
			models = append(models, mustNew(t, p))
		}
	}
	for _, c := range models {
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err = json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		if wrong := s.complaints(s, "model", v); len(wrong) > 0 {
			t.Errorf("%s\n%s", strings.Join(wrong, "\n"), text)
		}
	}
	for _, bad := range []string{`{}`, `[]`, `{"format":"sparsekm","colour":1}`, `{"submodels":[{"positive":-1}]}`} {
		var v any
		if err := json.Unmarshal([]byte(bad), &v); err != nil || len(s.complaints(s, "model", v)) == 0 {
			t.Errorf("%s passes (%v)", bad, err)
		}
	}
}

// TestSchemaFields holds that the reader knows the fields of the schema; the writer has no others, by TestSchema.
func TestSchemaFields(t *testing.T) {
	s := readSchema(t)
	for part, c := range map[string]struct {
		def  *schema
		read func(j *jsonCoder)
	}{
		"model":      {s, func(j *jsonCoder) { j.model(new(Parts)) }},
		"submodel":   {s.Defs["submodel"], func(j *jsonCoder) { j.submodel(new(Parts), new(learn.Submodel), 0) }},
		"step":       {s.Defs["step"], func(j *jsonCoder) { j.step(new(learn.Step)) }},
		"own_kernel": {s.Defs["own_kernel"], func(j *jsonCoder) { j.object("", j.kernelFields(new(kernelJSON))...) }},
		"terms":      {s.Defs["terms"], func(j *jsonCoder) { new(jsonTerms).code(j) }},
		"conformal":  {s.Properties["conformal"], func(j *jsonCoder) { j.conformal(new(*Conformal)) }},
		"scaling":    {s.Defs["scaling"], func(j *jsonCoder) { j.scaling(new(*dataset.Scaling)) }},
		"column":     {s.Defs["column"], func(j *jsonCoder) { j.column(new(dataset.Column)) }},
		"posterior":  {s.Defs["posterior"], func(j *jsonCoder) { j.posterior(new(*learn.Posterior)) }},
	} {
		for _, name := range append(slices.Sorted(maps.Keys(c.def.Properties)), "colour") {
			j := jsonCoder{stream{b: fmt.Appendf(nil, `{%q:?`, name), reading: true, budget: fileformat.NewBudget(MaxBytes)}}
			c.read(&j)
			if unknown := strings.Contains(fmt.Sprint(j.err), "unknown field"); unknown != (name == "colour") {
				t.Errorf("%s: %s: %v", part, name, j.err)
			}
		}
	}
}

package cli

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/bench"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/modelselect"
)

// keySet has JSON keys of all depths.
type keySet map[string]bool

// documented is a part of docs/reference/json.md, and what prints the keys that it names.
type documented struct {
	section string
	starts  string   // of the lines of the part; "|" for all rows of the section's tables
	sources []any    // structs, or a keySet
	also    []string // starts of lines that explain some of the keys in prose
}

// elsewhere are the structs that one part of the page describes for all others.
var elsewhere = []reflect.Type{
	reflect.TypeFor[gram.Kernel](), reflect.TypeFor[secondsJSON](), reflect.TypeFor[metrics.Report](),
	reflect.TypeFor[modelselect.Run](), reflect.TypeFor[dataset.Notes](),
}

// documentedParts pairs the parts of the page with their sources.
func documentedParts(t *testing.T) []documented {
	t.Helper()
	trained := filepath.Join(t.TempDir(), "svc.skm")
	must(t, "train", "--method", "svc", "--out", trained, ripley(t))
	generated := object(t, "gen", "ringnorm", "-n", "20", "--out", filepath.Join(t.TempDir(), "data"))
	converted := object(t, "convert", trained, "--to", "json", "--out", filepath.Join(t.TempDir(), "model"))
	const others = "Other commands"
	return []documented{
		{"train", "|", []any{trainJSON{}, trainedJSON{}, kernelKeys(t), secondsJSON{}, dataset.Notes{}}, nil},
		{"train", "`train --path` has", []any{pathJSON{}}, []string{"| `holdout{"}},
		{"train", "`method, n, d, task, target{", []any{reportKeys(t)}, []string{"`report` has", "| `rounds[", "| `kernel{"}},
		{"predict", "|", []any{predictJSON{}, metrics.Report{}}, nil},
		{"predict", "`predict --explain ROW` has", []any{explainJSON{}}, nil},
		{"cv, tune, fit, compare, report", "| `cv`", []any{cvJSON{}}, []string{"`losses` has"}},
		{"cv, tune, fit, compare, report", "| `tune`", []any{tuneJSON{}}, nil},
		{"cv, tune, fit, compare, report", "| `fit`", []any{fitJSON{}}, nil},
		{"cv, tune, fit, compare, report", "| `report`", []any{reportJSON{}}, nil},
		{"cv, tune, fit, compare, report", "`set, setting,", []any{modelselect.Run{}}, nil},
		{"reduce", "|", []any{reduceJSON{}}, nil},
		{"distill", "|", []any{distillJSON{}}, nil},
		{others, "| `info`", []any{infoJSON{}}, nil},
		{others, "| `convert`", []any{keysOf(converted)}, nil},
		{others, "| `gen`", []any{keysOf(generated)}, nil},
		{others, "| `verify`", []any{verifyJSON{}}, nil},
		{others, "| `lp", []any{lpJSON{}}, nil},
		{others, "| `methods`", []any{keySet{"methods": true}, methodJSON{}}, nil},
		{others, "| `cpu`", []any{cpuReport{}}, nil},
		{others, "| `bench`", []any{bench.Report{}}, nil},
		{others, "| `version`", []any{versionReport{}}, nil},
	}
}

// TestJSONReference holds docs/reference/json.md to the structs behind --json: each names every key of the other.
func TestJSONReference(t *testing.T) {
	lines := pageLines(t, "docs/reference/json.md")
	claimed := map[int]bool{}
	for _, part := range documentedParts(t) {
		keys := keySet{}
		for _, source := range part.sources {
			keys.add(source)
		}
		named, first := keySet{}, 0
		for _, line := range lines {
			claims := line.section == part.section && strings.HasPrefix(line.text, part.starts) && !line.heads
			explains := slices.ContainsFunc(part.also, func(s string) bool { return strings.HasPrefix(line.text, s) })
			if claims || explains {
				for _, name := range spanNames(line.text) {
					named[name] = true
				}
			}
			if !claims {
				continue
			}
			if first == 0 {
				first = line.number
			}
			claimed[line.number] = true
			for _, name := range spanNames(line.fields) {
				if !keys[name] {
					t.Errorf("docs/reference/json.md:%d: %s: nothing prints the key %q", line.number, part.section, name)
				}
			}
		}
		if first == 0 {
			t.Errorf("docs/reference/json.md: section %q has no line that starts with %q", part.section, part.starts)
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if !named[key] {
				t.Errorf("docs/reference/json.md:%d: %s: the key %q is missing", first, part.section, key)
			}
		}
	}
	for _, line := range lines {
		unchecked := line.heads || line.section == "Events" || strings.HasPrefix(line.text, "| `go run ")
		if strings.HasPrefix(line.text, "|") && !unchecked && !claimed[line.number] {
			t.Errorf("docs/reference/json.md:%d: documentedParts has no source of this row", line.number)
		}
	}
}

// TestJSONReferenceCommands wants every command in a heading of docs/reference/json.md, or first in a code span.
func TestJSONReferenceCommands(t *testing.T) {
	named := keySet{}
	for _, line := range pageLines(t, "docs/reference/json.md") {
		for _, title := range strings.Split(line.section, ", ") {
			named[title] = true
		}
		for _, span := range codeSpan.FindAllStringSubmatch(line.text, -1) {
			name, _, _ := strings.Cut(span[1], " ")
			named[name] = true
		}
	}
	for _, node := range commands {
		if !named[node.Name] {
			t.Errorf("docs/reference/json.md: the command %s is missing", node.Name)
		}
	}
}

// TestExitReference holds the tables of docs/reference/exit.md to the constants and to the commands.
func TestExitReference(t *testing.T) {
	statuses, listed := map[string]int{}, map[string]int{}
	for _, line := range pageLines(t, "docs/reference/exit.md") {
		if !strings.HasPrefix(line.text, "|") || line.heads {
			continue
		}
		first := strings.TrimSpace(strings.Split(line.text, "|")[1])
		if line.header == "status" {
			statuses[first] = line.number
			continue
		}
		for _, span := range codeSpan.FindAllStringSubmatch(first, -1) {
			if name, _, _ := strings.Cut(span[1], " "); name != "go" {
				listed[name] = line.number
			}
		}
	}
	names := keySet{}
	for _, node := range commands {
		names[node.Name] = true
	}
	meant := keySet{}
	for status := range exitMeanings {
		meant[fmt.Sprint(status)] = true
	}
	bothWays(t, "status of package session", statuses, statusConstants(t))
	bothWays(t, "status of the manual page", statuses, meant)
	bothWays(t, "command", listed, names)
}

// bothWays compares what exit.md lists, with its lines, and what there is.
func bothWays(t *testing.T, what string, listed map[string]int, have keySet) {
	t.Helper()
	for name, line := range listed {
		if !have[name] {
			t.Errorf("docs/reference/exit.md:%d: %s is no %s", line, name, what)
		}
	}
	for name := range have {
		if listed[name] == 0 {
			t.Errorf("docs/reference/exit.md: the %s %s is missing", what, name)
		}
	}
}

// statusConstants has the values of all integer constants in session/session.go.
func statusConstants(t *testing.T) keySet {
	t.Helper()
	name := filepath.Join(testutil.Root(t), "cmd/sparsekm/cli/session/session.go")
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	values := keySet{}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				if lit, isLit := value.(*ast.BasicLit); isLit && lit.Kind == token.INT {
					values[lit.Value] = true
				}
			}
		}
	}
	return values
}

// pageLine is a line of a page.
type pageLine struct {
	number  int
	section string // heading above it
	text    string
	header  string // first cell of the table's first row
	heads   bool   // it is one of the two lines that begin a table
	fields  string // the text whose names must be keys
}

// pageLines reads a page. A table whose first column is called field names its keys there, other tables in the rest.
func pageLines(t *testing.T, page string) (lines []pageLine) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testutil.Root(t), page))
	if err != nil {
		t.Fatal(err)
	}
	section, header, row := "", "", 0
	for i, s := range strings.Split(string(text), "\n") {
		if title, ok := strings.CutPrefix(s, "## "); ok {
			section = title
		}
		line := pageLine{number: i + 1, section: section, text: s, fields: s}
		if strings.HasPrefix(s, "|") {
			row++
			cells := strings.SplitN(s, "|", 3)
			if row == 1 {
				header = strings.TrimSpace(cells[1])
			}
			line.header, line.heads, line.fields = header, row <= 2, cells[2]
			if header == "field" {
				line.fields = cells[1]
			}
		} else {
			row = 0
		}
		lines = append(lines, line)
	}
	return lines
}

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	keyName  = regexp.MustCompile(`[a-z][a-z0-9_]*`)
)

// spanNames are the names in the code spans of s, also those inside a{b, c} and a[b, c]. Flags are no names.
func spanNames(s string) (names []string) {
	for _, span := range codeSpan.FindAllStringSubmatch(s, -1) {
		if !strings.Contains(span[1], "--") {
			names = append(names, keyName.FindAllString(span[1], -1)...)
		}
	}
	return names
}

// add adds the keys of a source.
func (k keySet) add(source any) {
	if other, ok := source.(keySet); ok {
		maps.Copy(k, other)
		return
	}
	k.addFields(reflect.TypeOf(source))
}

// addFields adds the keys of a struct and of the structs in its fields, except those described elsewhere.
func (k keySet) addFields(typ reflect.Type) {
	for i := range typ.NumField() {
		field := typ.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || name == "" && !field.Anonymous {
			continue
		}
		if name != "" {
			k[name] = true
		}
		inner := field.Type
		for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, inner.Kind()) {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && !slices.Contains(elsewhere, inner) {
			k.addFields(inner)
		}
	}
}

// addValues adds the keys of decoded JSON.
func (k keySet) addValues(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			k[name] = true
			k.addValues(value)
		}
	case []any:
		for _, value := range v {
			k.addValues(value)
		}
	}
}

// keysOf has the keys of decoded JSON.
func keysOf(v any) keySet {
	keys := keySet{}
	keys.addValues(v)
	return keys
}

// marshalledKeys has the keys that v has in JSON.
func marshalledKeys(t *testing.T, v any) keySet {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err = json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	return keysOf(decoded)
}

// kernelKeys has the keys of kernels with all parameters.
func kernelKeys(t *testing.T) keySet {
	t.Helper()
	keys := marshalledKeys(t, gram.Kernel{
		Kind: gram.KindPoly, Name: "a", Gamma: 1, Degree: 2, Coef0: 1, Weights: []float64{1},
	})
	keys.add(marshalledKeys(t, gram.RationalQuadratic(1, 1)))
	return keys
}

// reportKeys has the keys of a report from Go in which nothing is absent.
func reportKeys(t *testing.T) keySet {
	t.Helper()
	one := 1.0
	full := learn.Report{Message: "m", Duality: &learn.Duality{Proved: &learn.Proved{}}, Residual: &one, Slope: &one, Rounds: []learn.Round{{}},
		Figures: struct{}{}}
	submodel := learn.Submodel{Neg: 1, Kernel: &gram.Kernel{}}
	submodel.Support = []int{0}
	return marshalledKeys(t, sparsekm.Report{
		D: 1, Labels: []string{"a", "b"}, Target: &prepare.TargetScale{}, Constant: true, Support: []int{0},
		Vectors: []float64{1}, Submodels: []learn.Trained{{Submodel: submodel, Report: full}},
	})
}

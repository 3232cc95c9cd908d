package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unusedOutside has the exported names that no other package selects and no example shows, with the reason for each.
var unusedOutside = map[string]string{
	"cholupdate.Pivoted":          "the type that Pivot returns",
	"learn.Sides":                 "the type of a field of Method",
	"dataset.Auto":                "the default of Format",
	"learn/greedy.Selection":      "the type that LDA.Select returns",
	"learn/lssvm.GridPoint":       "an element of DualFigures.Grid",
	"modelselect.Rank":            "an element of Comparison.Ranks",
	"modelselect.Tuned":           "the type that Search.Run returns",
	"reduce.RegressionComparison": "the type of a field of a report",
	"simplex.Optimum":             "the type of a field of Segment",
	"smo.Single":                  "an interface that matrices of programs may have",
}

// interfaceMethods are methods that the standard library calls.
var interfaceMethods = []string{
	"AppendBinary", "Error", "MarshalBinary", "MarshalJSON", "MarshalText", "UnmarshalBinary", "UnmarshalJSON",
	"UnmarshalText", "Unwrap", "WriteTo",
}

// TestSurface pins that every exported name of a library package is selected in another package or shown by an
// example. It compares names alone, so that a name may pass because another package has the same one. Methods, which
// programs find by their text, and their figures, which reports have, need no use, nor do the values of an enumeration
// behind its first one.
func TestSurface(t *testing.T) {
	const most = 15
	if n := len(unusedOutside); n > most {
		t.Errorf("%d names are allowed to have no use, at most %d may be", n, most)
	}
	exported := map[string]map[string]bool{} // names by folder
	selected := map[string]map[string]bool{} // folders by name, or "" for an example
	eachFile(t, parser.SkipObjectResolution, func(file string, _ *token.FileSet, parsed *ast.File) {
		dir := filepath.ToSlash(filepath.Dir(file))
		if strings.HasSuffix(file, "_test.go") {
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example") {
					addSelected(selected, "", f)
				}
			}
			return
		}
		addSelected(selected, dir, parsed)
		if !under(dir, "bench", "capi", "cmd", "docs", "examples") && !slices.Contains(strings.Split(dir, "/"), "internal") {
			addExported(exported, dir, parsed)
			dropValues(exported[dir], parsed)
		}
	})
	left := maps.Clone(unusedOutside)
	for dir, names := range exported {
		for name := range names {
			by := selected[name]
			if len(by) > 1 || len(by) == 1 && !by[dir] || slices.Contains(interfaceMethods, name) {
				continue
			}
			full := dir + "." + name
			if _, ok := left[full]; !ok {
				t.Errorf("%s: no other package uses it and no example shows it", full)
			}
			delete(left, full)
		}
	}
	for name := range left {
		t.Errorf("%s is used, shown or gone: delete it from the list", name)
	}
}

// addSelected adds the names that follow a dot in n.
func addSelected(selected map[string]map[string]bool, dir string, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			addName(selected, s.Sel.Name, dir)
		}
		return true
	})
}

// addExported adds the exported functions, types, constants and variables of a file, and methods of exported types.
func addExported(exported map[string]map[string]bool, dir string, parsed *ast.File) {
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
				addName(exported, dir, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && (isMethod(t) || strings.HasSuffix(t.Name.Name, "Figures")) {
					continue
				}
				for _, id := range declared(s) {
					if id.IsExported() {
						addName(exported, dir, id.Name)
					}
				}
			}
		}
	}
}

// dropValues deletes the values of enumerations behind the first one.
func dropValues(names map[string]bool, parsed *ast.File) {
	for _, d := range parsed.Decls {
		constants, ok := d.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, s := range constants.Specs {
			if v := s.(*ast.ValueSpec); len(v.Values) == 0 {
				delete(names, v.Names[0].Name)
			}
		}
	}
}

// isMethod reports whether a type is a method of learn: it embeds learn.Named.
func isMethod(t *ast.TypeSpec) bool {
	fields, ok := t.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(fields.Fields.List, func(f *ast.Field) bool {
		generic, ok := f.Type.(*ast.IndexExpr)
		return ok && len(f.Names) == 0 && name(generic.X) == "Named"
	})
}

// declared returns the names of a type, constant or variable.
func declared(s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	}
	return name(t)
}

func addName(sets map[string]map[string]bool, of, name string) {
	if sets[of] == nil {
		sets[of] = map[string]bool{}
	}
	sets[of][name] = true
}

// Command asmgen writes the Go declarations of a package's assembly, and the functions that choose a level.
//
// The file assembly.go of the package declares each kernel once, as a function without body, under the build tag
// ignore. The assembly files say at which levels it exists: they end its name in the level, such as dotAVX2. A kernel
// for an element type T has the size in bits before the level, such as tile64AVX2. A level without a function of its
// own gets the function of the level that it extends.
//
// The level of package simd has no assembly: its functions are Go, in files that only a build with the experiment
// compiles. For other builds the generator writes functions of the same names, which nothing calls. The file for
// float32 is a copy of that for float64 with other names.
//
// For a kernel k the function runK calls the assembly of the active level. Without any, it calls the portable
// function kGeneric if one has the same signature. Else it reports by its last result that nothing ran. It calls the
// assembly by name: a call through a table of functions would move its arguments from the stack to the heap, and a
// program would link every kernel of the table.
//
// For package gram it also writes the constants of exp.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

func main() {
	log.SetFlags(0)
	texts, err := files(".")
	for name, text := range texts {
		err = errors.Join(err, os.WriteFile(name, text, 0o644))
	}
	if err != nil {
		log.Fatal(err)
	}
}

const spec = "assembly.go"

// vectors64 has the functions of package simd for float64, if the package has any, and vectors32 their copy.
const vectors64, vectors32 = "simd64.go", "simd32.go"

// withoutVectors is the generated file for builds without package simd, and its build constraint.
const withoutVectors, vectorless = "assembly_novectors.go", "!(goexperiment.simd && go1.27)"

// targets maps each generated file to the architecture whose assembly it declares, and its build constraint.
var targets = map[string]struct{ arch, tags string }{
	"assembly_amd64.go": {"amd64", "!purego"},
	"assembly_arm64.go": {"arm64", "!purego"},
	"assembly_other.go": {"", "purego || !(amd64 || arm64)"},
}

// kernel is a function of assembly.go.
type kernel struct {
	name                   string
	params, results, types []field         // types has T, if that is a parameter
	portable               bool            // a function nameGeneric has the same signature
	vectors                map[string]bool // the widths for which a function of package simd exists
}

type field struct{ name, typ string }

// files returns the generated files of the package in a folder.
func files(dir string) (map[string][]byte, error) {
	pkg, kernels, err := read(dir)
	if err != nil {
		return nil, err
	}
	texts := make(map[string][]byte)
	if pkg == "gram" {
		texts = expFiles()
	}
	if text, failed := os.ReadFile(filepath.Join(dir, vectors64)); failed == nil {
		texts[vectors32] = append([]byte(notice), bytes.ReplaceAll(text, []byte("64"), []byte("32"))...)
	}
	if body := unused(kernels); len(body) > 0 {
		if texts[withoutVectors], err = format.Source(head(pkg, vectorless, body)); err != nil {
			return nil, err
		}
	}
	for name, target := range targets {
		have, err := symbols(dir, target.arch)
		if err != nil {
			return nil, err
		}
		var body bytes.Buffer
		for _, k := range kernels {
			k.declare(&body, have)
			k.dispatch(&body, have)
		}
		if len(have) > 0 {
			return nil, fmt.Errorf("%s declares no kernel for %v", spec, slices.Sorted(maps.Keys(have)))
		}
		if texts[name], err = format.Source(head(pkg, target.tags, body.Bytes())); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// head puts the build constraint, the package and the imports before a body.
func head(pkg, tags string, body []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s//go:build %s\n\npackage %s\n\n", notice, tags, pkg)
	const internal = "github.com/sparsekm/sparsekm/internal/"
	for _, path := range []string{"unsafe", internal + "cpu", internal + "dense"} {
		if bytes.Contains(body, []byte(filepath.Base(path)+".")) {
			fmt.Fprintf(&b, "import %q\n", path)
		}
	}
	b.Write(body)
	return b.Bytes()
}

// read returns the package's name and the kernels that it declares.
func read(dir string) (pkg string, kernels []kernel, err error) {
	fset := token.NewFileSet()
	declared, err := parser.ParseFile(fset, filepath.Join(dir, spec), nil, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	others, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", nil, err
	}
	portable := make(map[string]kernel)
	for _, path := range others {
		if strings.HasPrefix(filepath.Base(path), "assembly") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return "", nil, err
		}
		for _, k := range functions(f) {
			portable[k.name] = k
		}
	}
	kernels = functions(declared)
	for i, k := range kernels {
		p, ok := portable[k.name+"Generic"]
		kernels[i].portable = ok && k.types == nil && slices.EqualFunc(slices.Concat(p.params, p.results),
			slices.Concat(k.params, k.results), func(a, b field) bool { return a.typ == b.typ })
		kernels[i].vectors = make(map[string]bool)
		for _, width := range k.widths() {
			_, kernels[i].vectors[width] = portable[k.symbol(width, cpu.SIMD)]
		}
	}
	return declared.Name.Name, kernels, nil
}

// functions returns the functions of a file that have no receiver.
func functions(f *ast.File) (all []kernel) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			all = append(all, kernel{name: fn.Name.Name, params: fields(fn.Type.Params), results: fields(fn.Type.Results),
				types: fields(fn.Type.TypeParams)})
		}
	}
	return all
}

// fields returns the parameters or results of a list, one by one.
func fields(list *ast.FieldList) (all []field) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			all = append(all, field{name.Name, types.ExprString(f.Type)})
		}
		if f.Names == nil {
			all = append(all, field{"", types.ExprString(f.Type)})
		}
	}
	return all
}

var text = regexp.MustCompile(`(?m)^TEXT ·(\w+)\(SB\)`)

// symbols returns the functions in the assembly files of an architecture.
func symbols(dir, arch string) (map[string]bool, error) {
	have := make(map[string]bool)
	paths, err := filepath.Glob(filepath.Join(dir, "*_"+arch+".s"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, m := range text.FindAllSubmatch(source, -1) {
			have[string(m[1])] = true
		}
	}
	return have, nil
}

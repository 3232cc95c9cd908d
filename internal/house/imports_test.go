package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

const module = "github.com/sparsekm/sparsekm"

// TestImports pins what library packages may import: the standard library and
// two modules; cgo is for the module capi alone. Commands, comparisons and tests may use more. It reads every
// file whatever its build constraints, so that no platform escapes.
func TestImports(t *testing.T) {
	allowed := []string{module, "gonum.org/v1/gonum", "golang.org/x/sys"}
	eachImport(t, func(file, dir, path string) {
		switch {
		case dir == "capi" && (path == "C" || under(path, module)): // a module of its own
		case path == "C":
			t.Errorf("%s uses cgo", file)
		case under(path, "net/http") && !under(dir, "cmd/sparsekm-serve", "bench"):
			t.Errorf("%s imports %s, which is for the server alone", file, path)
		case strings.HasPrefix(dir, "cmd/"), strings.HasPrefix(dir, "bench/"), strings.HasPrefix(dir, "examples/"):
		case !strings.Contains(strings.Split(path, "/")[0], "."): // standard library
		case !under(path, allowed...):
			t.Errorf("%s imports %s; library packages may import only %v and the standard library", file, path, allowed)
		}
	})
}

// TestWorkers pins that the goroutines of library packages are those of internal/parallel, whose panics come back.
func TestWorkers(t *testing.T) {
	eachFile(t, parser.SkipObjectResolution, func(file string, _ *token.FileSet, parsed *ast.File) {
		dir := filepath.ToSlash(filepath.Dir(file))
		programs := under(dir, "cmd", "bench", "examples")
		if strings.HasSuffix(file, "_test.go") || programs || under(dir, "internal/parallel", "internal/testing") {
			return
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			_, bare := n.(*ast.GoStmt)
			group, ok := n.(*ast.SelectorExpr)
			forC := file == "capi/watch.go" || file == "capi/jobs.go" // reads a flag of the caller's; goes on without it
			if (bare || ok && group.Sel.Name == "WaitGroup") && !forC {
				t.Errorf("%s starts goroutines of its own", file)
			}
			return true
		})
	})
}

// TestRooms pins the direction of imports inside the module, as docs/design/rooms.md draws it.
func TestRooms(t *testing.T) {
	// A package of the first column must not import any of the second.
	solvers := []string{"smo", "simplex", "cholupdate"}
	methods := []string{"learn/direct", "learn/greedy", "learn/lssvm", "learn/skm", "learn/ssvc",
		"learn/svc", "learn/bayes", "learn/density", "learn/scsvc"}
	above := []string{"learn", "model", "dataset", "reduce", "cmd", "bench"}
	walls := map[string][]string{
		"internal/cpu":            {""},
		"internal/limits":         slices.Concat([]string{"gram", "internal/dense", "blocked"}, solvers, above),
		"internal/parallel":       {""},
		"internal/deal":           {""},
		"internal/fileformat":     {""},
		"internal/testing/check":  slices.Concat([]string{"blocked", "learn/internal", "internal/dense", "internal/testing/ref"}, solvers),
		"internal/dense":          slices.Concat([]string{"gram", "blocked", "status"}, solvers, above),
		"gram":                    slices.Concat([]string{"blocked"}, solvers, above),
		"blocked":                 slices.Concat(solvers, above),
		"smo":                     slices.Concat([]string{"gram", "blocked", "simplex", "cholupdate"}, above),
		"simplex":                 slices.Concat([]string{"gram", "blocked", "smo", "cholupdate"}, above),
		"cholupdate":              slices.Concat([]string{"gram", "blocked", "smo", "simplex"}, above),
		"dataset":                 slices.Concat([]string{"blocked", "learn", "model", "reduce"}, solvers),
		"learn":                   {"dataset", "model", "reduce", "cmd", "bench"},
		"learn/multiclass":        methods,
		"learn/internal/kernellp": slices.Concat(methods, []string{"learn/multiclass", "smo", "cholupdate"}),
		"learn/internal/samples":  slices.Concat(methods, []string{"learn/multiclass"}, solvers),
		"internal/centres":        slices.Concat([]string{"blocked", "smo", "simplex"}, above),
		"learn/direct":            slices.Concat(methods[1:], []string{"learn/multiclass", "learn/internal"}, solvers),
		"learn/refit":             slices.Concat(methods, []string{"learn/multiclass", "learn/internal", "blocked"}, solvers),
		"contrib/pooled":          slices.Concat(methods, []string{"learn/multiclass", "learn/internal", "blocked", "smo", "simplex"}),
		"internal/ipm":            slices.Concat([]string{"gram", "blocked", "smo", "simplex"}, above),
		"learn/svc": {"learn/greedy", "learn/lssvm", "learn/skm", "learn/ssvc", "learn/internal/kernellp",
			"learn/multiclass"},
		"learn/ssvc":        {"learn/greedy", "learn/lssvm", "learn/skm", "learn/svc", "learn/multiclass"},
		"learn/ssvc/ssvclp": {"smo"},
		"learn/skm":         {"learn/greedy", "learn/lssvm", "learn/ssvc", "learn/svc", "learn/multiclass"},
		"learn/lssvm":       {"learn/greedy", "learn/skm", "learn/ssvc", "learn/svc", "learn/multiclass"},
		"learn/greedy":      {"learn/lssvm", "learn/skm", "learn/ssvc", "learn/svc", "learn/multiclass"},
		"model": slices.Concat([]string{"blocked", "reduce", "export", "learn/multiclass", "cmd", "bench"}, solvers,
			methods),
		"reduce": slices.Concat([]string{"blocked", "smo", "simplex", "learn/multiclass", "modelselect", "cmd", "bench"},
			methods),
		"export": slices.Concat([]string{"blocked", "reduce", "learn/multiclass", "modelselect", "internal", "cmd", "bench"},
			solvers, methods),
		"modelselect": slices.Concat([]string{"blocked", "gram/internal", "learn/multiclass", "cmd", "bench"},
			solvers, methods),
	}
	doors := map[string][]string{"learn/assure": {"dataset", "model"}, "contrib/pooled": {"model"}, // from sets, to models
		"internal/fileformat/zipped": {"internal/fileformat"}, "export": {"internal/deal"}}
	eachImport(t, func(file, dir, path string) {
		room, ok := strings.CutPrefix(path, module+"/")
		if !ok || slices.Contains(doors[dir], room) {
			return
		}
		forTests := []string{"internal/testing/ref", "internal/testing/testutil"}
		if under(room, forTests...) && !under(dir, forTests...) {
			t.Errorf("%s imports %s, which is for tests", file, path)
		}
		if dir == "learn" && under(room, "learn") {
			t.Errorf("%s: package learn must not know %s", file, room)
		}
		for from, to := range walls {
			if !under(dir, from) {
				continue
			}
			for _, wall := range to {
				if wall == "" || under(room, wall) {
					t.Errorf("%s: package %s must not know %s", file, dir, room)
				}
			}
		}
	})
}

// eachImport calls f for every import of every Go file that is not a test.
func eachImport(t *testing.T, f func(file, dir, path string)) {
	t.Helper()
	eachFile(t, parser.ImportsOnly, func(file string, _ *token.FileSet, parsed *ast.File) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		dir := ""
		if i := strings.LastIndexByte(file, '/'); i >= 0 {
			dir = file[:i]
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			f(file, dir, path)
		}
	})
}

// eachFile parses every Go file of the module and calls f with its path below the module's top folder.
func eachFile(t *testing.T, mode parser.Mode, f func(file string, fset *token.FileSet, parsed *ast.File)) {
	t.Helper()
	root, files := testutil.Root(t), 0
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != root && (base == "testdata" || base == "tools" || strings.HasPrefix(base, ".") ||
				strings.HasPrefix(base, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		files++
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, name, nil, mode)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f(filepath.ToSlash(rel), fset, parsed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Fatalf("only %d Go files found below %s", files, root)
	}
}

// under reports whether path is one of the trees or below one.
func under(path string, trees ...string) bool {
	for _, tree := range trees {
		if path == tree || strings.HasPrefix(path, tree+"/") {
			return true
		}
	}
	return false
}

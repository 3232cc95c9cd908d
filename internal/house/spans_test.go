package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// foreign are words of code spans that the tree need not have, by the reason.
var foreign = words(map[string]string{
	"a heading":             "Unreleased",
	"Spark's":               "--files",
	"Python's":              "--directory",
	"a program":             "twine taskset chrt",
	"Go's":                  "-replace -require -benchtime -cpu tidy",
	"a formula":             "10/d",
	"a shard":               "i/n 0/4",
	"a number":              "1a3p-4",
	"a missing cell":        "N/A",
	"scikit-learn's":        "HistGradientBoostingClassifier probA_ probB_",
	"Dask's":                "bag.map_partitions(score joblib.parallel_backend(",
	"R's":                   "makePSOCKcluster",
	"LIBSVM's":              "svm_predict_values",
	"C's":                   "expf",
	"scikit-learn's folder": "svm/tests",
	"a module":              "golang.org/x/sys gonum.org/v1/gonum",
	"an example": "tanimoto learn/mine/means.go learn/mine/means_test.go digits.h model.json " +
		"sparsekm.LogTo(logger ripley_value(k",
	"a word that the glossary replaces": "octets nibbles loose mend dear",
})

// words returns the reason of each word of lists by their reason.
func words(lists map[string]string) map[string]string {
	reasons := map[string]string{}
	for reason, list := range lists {
		for word := range strings.FieldsSeq(list) {
			reasons[word] = reason
		}
	}
	return reasons
}

// tree is what code spans of pages may name.
type tree struct {
	packages map[string]map[string]bool // names that a package declares, its tests too
	members  map[string]map[string]bool // fields and methods by the name of their type
	texts    map[string]map[string]bool // whole texts of the programs of bench, by folder
	words    map[string]bool            // identifiers, and words of text
	files    []string                   // files and folders
}

var (
	spanWord  = regexp.MustCompile(`[A-Za-z]\w*(?:-\w+)*`)
	textWord  = regexp.MustCompile(`-{0,2}[A-Za-z]\w*(?:-\w+)*`)
	target    = regexp.MustCompile(`(?m)^([\w-]+):`)
	defines   = regexp.MustCompile(`^(Bool|Duration|Float64|Func|Int|Int64|String|Text|Uint64)?(Var)?$`)
	flagName  = regexp.MustCompile(`^"[a-z-]+"$`)
	pageSpan  = regexp.MustCompile("`([^`]+)`(?: at [0-9a-f]{8})?")
	flagged   = regexp.MustCompile(`^--?([a-z][a-z0-9-]*)(?:=(.*))?$`)
	qualified = regexp.MustCompile(`^(\w+)\.(\w+)(?:\.\w+)*$`)
	located   = regexp.MustCompile(`^[\w.<>-]*/|^\w[\w.*-]*\.(go|md|py|R|sh|s|h|json|tsv|yml)$`)
)

// TestCodeSpans wants what a code span of a page names to be in the tree: symbols and tests of Go, flags, files,
// targets of make, words of the code. It must find planted names that nothing has.
func TestCodeSpans(t *testing.T) {
	known, used, spans := readTree(t), map[string]bool{}, 0
	known.findsPlanted(t)
	eachFileOf(t, func(file, text string) {
		const history = "docs/design/budget.md" // names what went
		if file == history || !under(file, "docs", "README.md", "CONTRIBUTING.md", "python/README.md", "r/README.md") {
			return
		}
		for i, line := range strings.Split(withoutCode(text), "\n") {
			for _, m := range pageSpan.FindAllStringSubmatch(line, -1) {
				spans++
				if !strings.HasSuffix(m[0], "`") {
					continue // a command of an earlier commit
				}
				for _, word := range known.unresolved(file, m[1]) {
					used[word] = true
					if foreign[word] == "" {
						t.Errorf("%s:%d: `%s`: nothing is named %q", file, i+1, m[1], word)
					}
				}
			}
		}
	}, ".md")
	for word := range foreign {
		if !used[word] {
			t.Errorf("foreign: no page needs %q", word)
		}
	}
	if spans < 2000 {
		t.Errorf("only %d code spans", spans)
	}
}

// findsPlanted wants planted names to be found, and others not.
func (k *tree) findsPlanted(t *testing.T) {
	t.Helper()
	for span, want := range map[string]string{
		"simplex.Solver":      "",
		"simplex.Gone":        "simplex.Gone",
		"Classifier.Decide":   "",
		"Classifier.Gone":     "Classifier.Gone",
		"sparsekm lp --prove": "",
		"--gone":              "--gone",
		"--max-sv K":          "",
		"docs/guide/data.md":  "",
		"docs/guide/gone.md":  "docs/guide/gone.md",
		"go test ./simplex -run 'PlantedOptima|Sweep'": "",
		"go test ./simplex -run GoneAway":              "GoneAway",
		"go run ./bench/gone":                          "./bench/gone",
		"make gone":                                    "gone",
		"go run ./bench/peers gone-away":               "gone-away",
		"go run ./bench/peers -reps 3 csv":             "",
		"go run ./bench/papers csv":                    "csv",
		"dual_objective":                               "",
		"dual_gone":                                    "dual_gone",
	} {
		if got := strings.Join(k.unresolved("README.md", span), " "); got != want {
			t.Errorf("%s: %q, want %q", span, got, want)
		}
	}
}

// unresolved returns the words of a span that name nothing.
func (k *tree) unresolved(page, span string) (words []string) {
	fields := strings.Fields(strings.NewReplacer("'", " ", `"`, " ", `\|`, "|").Replace(span))
	for i, field := range fields {
		field = strings.TrimRight(strings.TrimLeft(field, "([{*"), ".,:;)]}")
		before := ""
		if i > 0 {
			before = fields[i-1]
		}
		if !k.names(page, field, before) || !k.isTask(fields, i, field) {
			words = append(words, field)
		}
	}
	return words
}

// isTask reports whether field i, where it is a task of a program of bench, is a text of that program; those of
// reproduce are texts of the papers' tables.
func (k *tree) isTask(fields []string, i int, field string) bool {
	if i < 3 || fields[0] != "go" || fields[1] != "run" || !strings.HasPrefix(fields[2], "./bench/") {
		return true
	}
	if field == "NAME" || strings.HasPrefix(field, "-") || strings.HasPrefix(fields[i-1], "-") {
		return true
	}
	folder := strings.TrimPrefix(fields[2], "./")
	return k.texts[folder][field] || folder == "bench/reproduce" && k.texts["bench/internal/papers"][field]
}

// names reports whether a field of a span, which follows another one, names something.
func (k *tree) names(page, field, before string) bool {
	if m := flagged.FindStringSubmatch(field); m != nil {
		name := strings.TrimPrefix(m[1], "no-")
		return k.words["--"+m[1]] || k.words["--"+name] || k.words["-"+m[1]]
	}
	if before == "-run" || before == "-bench" {
		return k.tests(field)
	}
	if m := qualified.FindStringSubmatch(field); m != nil {
		for _, sets := range []map[string]map[string]bool{k.packages, k.members} {
			if set := sets[m[1]]; set != nil && ast.IsExported(m[2]) {
				return set[m[2]]
			}
		}
	}
	if before == "make" {
		return k.words["make "+field]
	}
	if located.MatchString(field) {
		return k.has(page, field)
	}
	for _, word := range spanWord.FindAllString(strings.ReplaceAll(field, "NAME_", ""), -1) {
		if len([]rune(word)) > 2 && strings.ToUpper(word) != word && !k.words[word] {
			return false
		}
	}
	return true
}

// tests reports whether each alternative of a pattern is part of the name of a test.
func (k *tree) tests(pattern string) bool {
	for _, part := range strings.Split(pattern, "|") {
		part, _, _ = strings.Cut(strings.Trim(part, "^$-"), "/")
		holds := func(word string) bool {
			return (strings.HasPrefix(word, "Test") || strings.HasPrefix(word, "Benchmark")) && strings.Contains(word, part)
		}
		found := part == "" || part == "xxx" || part == "XXX"
		for word := range k.words {
			found = found || holds(word)
		}
		if !found {
			return false
		}
	}
	return true
}

// placeholder is in paths of other trees, of what a build writes, of what a reader fills in, and those of a server.
var placeholder = regexp.MustCompile(`^\.\.[./]|^bin/|NAME|vX|^/|^github.com/sparsekm/sparsekm$|/mine$|=`)

// has reports whether a path or pattern names a file or folder, of the tree or beside the page.
func (k *tree) has(page, name string) bool {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "github.com/sparsekm/sparsekm/"), "@")
	if placeholder.MatchString(name) || slices.Contains(k.files, name) || k.words[name] {
		return true
	}
	return slices.ContainsFunc(k.files, func(file string) bool {
		whole, _ := path.Match(name, file)
		last, _ := path.Match(name, path.Base(file))
		return whole || last || file == path.Join(path.Dir(page), name)
	})
}

// readTree reads the names of Go and the words of the other files.
func readTree(t *testing.T) *tree {
	t.Helper()
	k := &tree{packages: map[string]map[string]bool{}, members: map[string]map[string]bool{},
		texts: map[string]map[string]bool{}, words: map[string]bool{}}
	eachFile(t, parser.SkipObjectResolution, func(file string, _ *token.FileSet, parsed *ast.File) {
		k.addGo(parsed, strings.HasPrefix(file, "internal/house/"))
		if strings.HasPrefix(file, "bench/") {
			k.addTexts(path.Dir(file), parsed)
		}
	})
	root := testutil.Root(t)
	err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if entry.IsDir() && (rel == ".git" || rel == "bin") {
			return filepath.SkipDir
		}
		k.files = append(k.files, rel)
		endings := []string{".py", ".R", ".h", ".s", ".sh", ".yml", ".toml", ".js", ".Rd"}
		read := slices.Contains(endings, path.Ext(rel)) && !strings.Contains(rel, "testdata") ||
			slices.Contains([]string{"Makefile", "r/NAMESPACE", "docs/model.schema.json", ".ci/run",
				"cmd/sparsekm/cli/testdata/help.txt"}, rel)
		if !read {
			return nil
		}
		text, err := os.ReadFile(name)
		k.addText(string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// addText adds the words of a text, its flags, and its lines that begin with a target of make.
func (k *tree) addText(text string) {
	for _, word := range textWord.FindAllString(text, -1) {
		k.words[word] = true
		k.words[strings.TrimLeft(word, "-")] = true
		for part := range strings.SplitSeq(word, "-") {
			k.words[part] = true
		}
	}
	for _, m := range target.FindAllStringSubmatch(text, -1) {
		k.words["make "+m[1]] = true
	}
}

// addTexts adds the whole texts of a Go file in a folder.
func (k *tree) addTexts(folder string, parsed *ast.File) {
	ast.Inspect(parsed, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				addName(k.texts, folder, text)
			}
		}
		return true
	})
}

// addGo adds the names of a Go file and, unless it has this list, the words of its texts.
func (k *tree) addGo(parsed *ast.File, house bool) {
	of := strings.TrimSuffix(parsed.Name.Name, "_test")
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			addName(k.packages, of, d.Name.Name)
			if d.Recv != nil {
				addName(k.members, receiver(d.Recv.List[0].Type), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				for _, id := range declared(s) {
					addName(k.packages, of, id.Name)
				}
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			k.words[n.Name] = true
		case *ast.BasicLit:
			if n.Kind == token.STRING && !house {
				k.addText(n.Value)
			}
		case *ast.ImportSpec:
			k.words[strings.Trim(n.Path.Value, `"`)] = true
		case *ast.TypeSpec:
			k.addMembers(n)
		case *ast.CallExpr:
			k.addFlag(n)
		}
		return true
	})
}

// addMembers adds the fields of a struct and the methods of an interface.
func (k *tree) addMembers(t *ast.TypeSpec) {
	var fields *ast.FieldList
	switch of := t.Type.(type) {
	case *ast.StructType:
		fields = of.Fields
	case *ast.InterfaceType:
		fields = of.Methods
	default:
		return
	}
	for _, f := range fields.List {
		for _, id := range f.Names {
			addName(k.members, t.Name.Name, id.Name)
		}
	}
}

// addFlag adds the flag that a call of package flag or of its sets defines.
func (k *tree) addFlag(call *ast.CallExpr) {
	if s, ok := call.Fun.(*ast.SelectorExpr); !ok || !defines.MatchString(s.Sel.Name) {
		return
	}
	for _, arg := range call.Args[:min(len(call.Args), 2)] {
		if lit, ok := arg.(*ast.BasicLit); ok && flagName.MatchString(lit.Value) {
			k.words["-"+strings.Trim(lit.Value, `"`)] = true
		}
	}
}

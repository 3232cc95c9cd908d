// Command goref writes a page of Markdown for each package that other modules can import.
//
//	go run . ../.. FOLDER
//
// The pages have the declarations and comments that `go doc -all` shows, with links between packages and examples.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	module     = "github.com/sparsekm/sparsekm"
	repository = "https://github.com/sparsekm/sparsekm/blob/main/"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("goref: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: goref ROOT FOLDER")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// listed is what `go list` says about a package, and listFormat how: encoding/json takes longer to compile than all of ours.
type listed struct {
	dir, importPath string
	files           []string
}

const listFormat = `{{if ne .Name "main"}}{{.Dir}}{{"\t"}}{{.ImportPath}}{{range .GoFiles}}{{"\t"}}{{.}}{{end}}` +
	`{{range .TestGoFiles}}{{"\t"}}{{.}}{{end}}{{range .XTestGoFiles}}{{"\t"}}{{.}}{{end}}{{end}}`

// excluded are packages that are programs, their parts, or not for other modules.
var excluded = regexp.MustCompile(`(^|/)internal(/|$)|/(cmd|bench|docs|examples|capi)(/|$)`)

func run(root, folder string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	list := exec.Command("go", "list", "-f", listFormat, "./...", "./contrib/pooled")
	list.Dir, list.Stderr = root, os.Stderr
	list.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=") // contrib is a module of its own
	out, err := list.Output()
	if err != nil {
		return err
	}
	var pages []*page
	for line := range strings.Lines(string(out)) {
		words := strings.Split(strings.TrimSpace(line), "\t")
		if len(words) < 3 || excluded.MatchString(strings.TrimPrefix(words[1], module)) {
			continue // a program, a folder of tests, or not for other modules
		}
		p, failed := parse(root, listed{words[0], words[1], words[2:]})
		if failed != nil {
			return failed
		}
		pages = append(pages, p)
	}
	slices.SortFunc(pages, func(a, b *page) int { return strings.Compare(a.path(), b.path()) })
	return write(folder, pages)
}

// write writes the pages and their list.
func write(folder string, pages []*page) error {
	known := map[string]bool{}
	for _, p := range pages {
		known[p.doc.ImportPath] = true
	}
	var index strings.Builder
	index.WriteString("# Go packages\n\nThe packages that a program can import, as `go doc` shows them.\n\n| package | |\n| --- | --- |\n")
	for _, p := range pages {
		p.known = known
		file := filepath.Join(folder, filepath.FromSlash(p.path())+".md")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(p.render()), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&index, "| [%s](%s.md) | %s |\n", p.path(), p.path(), strings.ReplaceAll(p.doc.Synopsis(p.doc.Doc), "|", `\|`))
	}
	return os.WriteFile(filepath.Join(folder, "index.md"), []byte(index.String()), 0o666)
}

// A page is a package.
type page struct {
	root  string
	fset  *token.FileSet
	doc   *doc.Package
	known map[string]bool // import paths with pages
	out   strings.Builder
}

func parse(root string, l listed) (*page, error) {
	p := &page{root: root, fset: token.NewFileSet()}
	var files []*ast.File
	for _, name := range l.files {
		f, err := parser.ParseFile(p.fset, filepath.Join(l.dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	var err error
	p.doc, err = doc.NewFromFiles(p.fset, files, l.importPath)
	return p, err
}

// path is the package's place below the module, for the root package the module's name.
func (p *page) path() string {
	return short(p.doc.ImportPath)
}

func short(importPath string) string {
	if importPath == module {
		return "sparsekm"
	}
	return strings.TrimPrefix(importPath, module+"/")
}

func (p *page) render() string {
	d := p.doc
	fmt.Fprintf(&p.out, "# %s\n\n```go\nimport %q\n```\n\n", p.path(), d.ImportPath)
	p.text(d.Doc, 2)
	p.examples(d.Examples)
	p.values("Constants", "const", d.Consts)
	p.values("Variables", "var", d.Vars)
	if len(d.Funcs) > 0 {
		p.out.WriteString("## Functions {#functions}\n\n")
		p.funcs(d.Funcs, 3)
	}
	if len(d.Types) > 0 {
		p.out.WriteString("## Types {#types}\n\n")
	}
	for _, t := range d.Types {
		p.heading(3, "type "+t.Name, t.Name)
		p.members(t)
		p.declaration(t.Decl)
		p.text(t.Doc, 4)
		p.examples(t.Examples)
		for _, v := range slices.Concat(t.Consts, t.Vars) {
			p.value(v)
		}
		p.funcs(t.Funcs, 4)
		p.funcs(t.Methods, 4)
	}
	return p.out.String()
}

// members gives fields and an interface's methods an anchor, since comments link to them.
func (p *page) members(t *doc.Type) {
	for _, spec := range t.Decl.Specs {
		var list *ast.FieldList
		switch kind := spec.(*ast.TypeSpec).Type.(type) {
		case *ast.StructType:
			list = kind.Fields
		case *ast.InterfaceType:
			list = kind.Methods
		default:
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				fmt.Fprintf(&p.out, "<span id=\"%s.%s\"></span>", t.Name, name.Name)
			}
		}
	}
	p.out.WriteString("\n\n")
}

func (p *page) heading(level int, title, anchor string) {
	fmt.Fprintf(&p.out, "%s `%s` {#%s}\n\n", strings.Repeat("#", level), title, anchor)
}

func (p *page) values(title, anchor string, values []*doc.Value) {
	if len(values) > 0 {
		fmt.Fprintf(&p.out, "## %s {#%s}\n\n", title, anchor)
	}
	for _, v := range values {
		p.value(v)
	}
}

func (p *page) value(v *doc.Value) {
	for _, name := range v.Names {
		if token.IsExported(name) {
			fmt.Fprintf(&p.out, "<span id=%q></span>", name)
		}
	}
	p.out.WriteString("\n\n")
	p.declaration(v.Decl)
	p.text(v.Doc, 4)
}

func (p *page) funcs(funcs []*doc.Func, level int) {
	for _, f := range funcs {
		title, anchor := "func "+f.Name, f.Name
		if f.Recv != "" {
			receiver := strings.TrimPrefix(regexp.MustCompile(`\[.*`).ReplaceAllString(f.Recv, ""), "*")
			title, anchor = fmt.Sprintf("func (%s) %s", f.Recv, f.Name), receiver+"."+f.Name
		}
		p.heading(level, title, anchor)
		p.declaration(f.Decl)
		p.text(f.Doc, level+1)
		p.examples(f.Examples)
	}
}

// declaration shows a declaration and where it stands.
func (p *page) declaration(decl ast.Decl) {
	if f, ok := decl.(*ast.FuncDecl); ok {
		short := *f
		short.Doc, short.Body = nil, nil
		decl = &short
	}
	var code bytes.Buffer
	if err := format.Node(&code, p.fset, decl); err != nil {
		log.Fatal(err) // what has been parsed can be printed
	}
	at := p.fset.Position(decl.Pos())
	file, err := filepath.Rel(p.root, at.Filename)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(&p.out, "```go\n%s\n```\n\n[%s](%s%s#L%d){.source}\n\n", code.String(), filepath.Base(file), repository,
		filepath.ToSlash(file), at.Line)
}

var pre = regexp.MustCompile(`(?s)<pre>(.*?)</pre>`)

// text writes a comment in HTML, which Markdown leaves alone.
func (p *page) text(text string, level int) {
	if text == "" {
		return
	}
	printer := p.doc.Printer()
	printer.HeadingLevel = min(level, 6)
	printer.DocLinkURL = p.url
	html := string(printer.HTML(p.doc.Parser().Parse(text)))
	html = pre.ReplaceAllString(html, "<pre><code>$1</code></pre>")
	fmt.Fprintf(&p.out, "<div class=\"godoc\">\n%s</div>\n\n", html)
}

// url is where a name is explained: on a page of ours or at pkg.go.dev.
func (p *page) url(link *comment.DocLink) string {
	anchor := link.Name
	if link.Recv != "" {
		anchor = link.Recv + "." + link.Name
	}
	if anchor != "" {
		anchor = "#" + anchor
	}
	path := link.ImportPath
	if path == "" || path == p.doc.ImportPath {
		return anchor
	}
	if !p.known[path] {
		return "https://pkg.go.dev/" + path + anchor
	}
	to, err := filepath.Rel(filepath.Dir(filepath.FromSlash(p.path())), filepath.FromSlash(short(path)+".html"))
	if err != nil {
		log.Fatal(err) // both are relative
	}
	return filepath.ToSlash(to) + anchor
}

// examples shows the programs and what they print.
func (p *page) examples(examples []*doc.Example) {
	for _, e := range examples {
		var code bytes.Buffer
		var node any = e.Code
		if e.Play != nil {
			node = e.Play
		}
		if err := format.Node(&code, p.fset, node); err != nil {
			log.Fatal(err)
		}
		title := "Example"
		if e.Suffix != "" {
			title += ": " + e.Suffix
		}
		fmt.Fprintf(&p.out, "??? example %q\n\n%s", title, indent("```go\n"+strings.TrimSpace(code.String())+"\n```\n"))
		if e.Output != "" {
			fmt.Fprintf(&p.out, "\n    It prints\n\n%s", indent("```text\n"+strings.TrimSpace(e.Output)+"\n```\n"))
		}
		p.out.WriteString("\n")
	}
}

func indent(text string) string {
	return regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(text, "    $1")
}

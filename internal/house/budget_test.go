package house

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

var updateBudget = flag.Bool("budget", false, "write what the rooms have into docs/design/budget.md")

// room is a row of the table in docs/design/budget.md.
type room struct {
	folders             []string
	lines, names        int // as the page says
	hasLines, hasNames  int // as the tree has them
	text, before, after string
}

// rowOfRoom has a row's folders, purpose, lines, exported names, and seconds of tests.
var rowOfRoom = regexp.MustCompile("(?m)^(\\| `[^|]*\\|[^|]*\\|) ([0-9]+) \\| ([0-9]+) (\\| [0-9]* ?\\|)$")

// TestBudget holds the lines of Go and the exported names of every room against docs/design/budget.md. Tests and
// generated files do not count. The rows must add up to the total that the page allows, which only a decision raises.
func TestBudget(t *testing.T) {
	page := filepath.Join(testutil.Root(t), "docs", "design", "budget.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rooms := readRooms(t, string(text))
	countRooms(t, rooms)
	if *updateBudget {
		updated := string(text)
		for _, r := range rooms {
			row := fmt.Sprintf("%s %d | %d %s", r.before, r.hasLines, r.hasNames, r.after)
			updated = strings.Replace(updated, r.text, row, 1)
		}
		if err = os.WriteFile(page, []byte(updated), 0o644); err != nil {
			t.Fatal(err)
		}
		text, rooms = []byte(updated), readRooms(t, updated)
		countRooms(t, rooms)
	}
	lines, names := 0, 0
	for _, r := range rooms {
		lines, names = lines+r.lines, names+r.names
		if r.hasLines > r.lines || r.hasNames > r.names {
			t.Errorf("%s has %d lines and %d exported names, its budget is %d and %d", r.folders, r.hasLines, r.hasNames,
				r.lines, r.names)
		}
	}
	allowed := regexp.MustCompile(`(?m)^\| ([0-9]{4}-[0-9]{2}-[0-9]{2}) \|.*\| ([-+]?[0-9]+) \| ([-+]?[0-9]+) \|$`).
		FindAllStringSubmatch(string(text), -1)
	if len(allowed) == 0 {
		t.Fatal("no decision in docs/design/budget.md")
	}
	sumLines, sumNames := 0, 0
	for _, d := range allowed {
		sumLines, sumNames = sumLines+number(t, d[2]), sumNames+number(t, d[3])
	}
	if lines > sumLines || names > sumNames {
		t.Errorf("the rooms have %d lines and %d names, the decisions allow %d and %d", lines, names, sumLines, sumNames)
	}
}

// TestPageWords bounds the words of all pages: outside of tables and blocks of code, and with them. A page that grows
// takes its words from another one.
func TestPageWords(t *testing.T) {
	const maxProse, maxAll = 24_000, 50_000
	block, row := regexp.MustCompile("(?s)```.*?```"), regexp.MustCompile(`(?m)^ *\|.*$`)
	prose, all := 0, 0
	eachFileOf(t, func(_, text string) {
		all += len(strings.Fields(text))
		prose += len(strings.Fields(row.ReplaceAllString(block.ReplaceAllString(text, ""), "")))
	}, ".md")
	t.Logf("%d words outside of tables, %d in all", prose, all)
	if prose > maxProse || all > maxAll {
		t.Errorf("pages have %d words outside of tables, %d in all; at most %d and %d are expected", prose, all, maxProse,
			maxAll)
	}
}

// readRooms returns the rows of the page's first table.
func readRooms(t *testing.T, text string) []*room {
	t.Helper()
	var rooms []*room
	for _, row := range rowOfRoom.FindAllStringSubmatch(text, -1) {
		r := &room{lines: number(t, row[2]), names: number(t, row[3]), text: row[0], before: row[1], after: row[4]}
		for _, folder := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(strings.SplitN(row[1], "|", 3)[1], -1) {
			r.folders = append(r.folders, folder[1])
		}
		rooms = append(rooms, r)
	}
	return rooms
}

// countRooms adds every file to the room with the longest folder above it.
func countRooms(t *testing.T, rooms []*room) {
	t.Helper()
	exported := make(map[string]map[string]bool)
	of := make(map[string]*room)
	eachFile(t, parser.SkipObjectResolution|parser.ParseComments, func(file string, _ *token.FileSet, parsed *ast.File) {
		dir := filepath.ToSlash(filepath.Dir(file))
		text, err := os.ReadFile(filepath.Join(testutil.Root(t), file))
		if err != nil {
			t.Fatal(err)
		}
		head := text[:min(len(text), 200)]
		if strings.HasSuffix(file, "_test.go") || strings.Contains(string(head), "Code generated") {
			return
		}
		var owner *room
		longest := -1
		for _, r := range rooms {
			for _, folder := range r.folders {
				if n := len(folder); n > longest && (folder == dir || folder != "." && under(dir, folder)) {
					owner, longest = r, n
				}
			}
		}
		if owner == nil {
			t.Errorf("%s stands in no room of docs/design/budget.md", file)
			return
		}
		of[dir] = owner
		owner.hasLines += strings.Count(string(text), "\n")
		if isLibrary(dir) {
			addExported(exported, dir, parsed)
		}
	})
	for dir, names := range exported {
		of[dir].hasNames += len(names)
	}
}

// isLibrary reports whether other modules can import a folder and are meant to.
func isLibrary(dir string) bool {
	return !under(dir, "bench", "capi", "cmd", "docs", "examples", "testkit") &&
		!slices.Contains(strings.Split(dir, "/"), "internal")
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

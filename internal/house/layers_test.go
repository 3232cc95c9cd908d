package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestLayers holds every import of the repository against the table of layers in docs/design/rooms.md: a package
// imports packages of lower layers only, and stands in one layer. A name that ends in /* stands for the packages of a
// folder that have no place of their own.
func TestLayers(t *testing.T) {
	root := testutil.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "design", "rooms.md"))
	if err != nil {
		t.Fatal(err)
	}
	layer := make(map[string]int)
	enter := func(level int, packages string) {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(packages, -1) {
			if _, twice := layer[m[1]]; twice {
				t.Errorf("%s stands in two layers", m[1])
			}
			layer[m[1]] = level
			if _, err := os.Stat(filepath.Join(root, strings.TrimSuffix(m[1], "/*"))); err != nil {
				t.Errorf("a layer names %s: %v", m[1], err)
			}
		}
	}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) [^|]*\|([^|]*)\|$`).FindAllStringSubmatch(string(text), -1) {
		level, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		enter(level, row[2])
	}
	if len(layer) < 40 {
		t.Fatalf("only %d packages in the table of layers", len(layer))
	}
	const forTests = 0
	for _, row := range regexp.MustCompile(`(?m)^\| tests of [^|]*\|([^|]*)\|$`).FindAllStringSubmatch(string(text), -1) {
		enter(forTests, row[1])
	}
	layerOf := func(room string) (level int, known bool) {
		if level, known = layer[room]; !known {
			level, known = layer[path.Dir(room)+"/*"]
		}
		return level, known
	}
	eachImport(t, func(file, dir, imported string) {
		room, ours := strings.CutPrefix(imported, module+"/")
		if imported == module {
			room, ours = ".", true
		}
		if !ours {
			return
		}
		if dir == "" {
			dir = "."
		}
		from, known := layerOf(dir)
		to, knownTo := layerOf(room)
		switch {
		case !known:
			t.Errorf("%s: package %s stands in no layer", file, dir)
		case !knownTo:
			t.Errorf("%s: package %s stands in no layer", file, room)
		case from != forTests && to != forTests && to >= from:
			t.Errorf("%s: package %s of layer %d imports %s of layer %d", file, dir, from, room, to)
		}
	})
}

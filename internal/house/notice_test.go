package house

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

var writeNotice = flag.Bool("notice", false, "write NOTICE")

// TestNotice holds NOTICE to the licences of the modules that the programs of a release, the C library and the page for
// the browser carry: go test ./internal/house -run Notice -notice writes it after a change of go.mod.
func TestNotice(t *testing.T) {
	var b strings.Builder
	b.WriteString("The programs and libraries that are built here carry Go's runtime and library, and code and fonts of " +
		"these modules,\nunder the licences below. A test compares this file with the modules.\n")
	text := readLicence(t, filepath.Join(goVariable(t, "GOROOT"), "LICENSE"))
	fmt.Fprintf(&b, "\n%s\nGo: LICENSE\n\n%s\n", rule, text)
	same := map[string]string{text: "Go: LICENSE"}
	for _, m := range carried(t) {
		path, dir, _ := strings.Cut(m, " ")
		files := licences(t, dir)
		if len(files) == 0 {
			t.Errorf("%s has no licence in %s", path, dir)
		}
		for _, file := range files {
			title := path + ": " + file
			text := readLicence(t, filepath.Join(dir, file))
			if other, ok := same[text]; ok {
				text = "The same as of " + other
			} else {
				same[text] = title
			}
			fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", rule, title, text)
		}
	}
	name := filepath.Join(testutil.Root(t), "NOTICE")
	if *writeNotice {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != b.String() {
		t.Errorf("NOTICE is not that of the modules (%v): run this test with -notice", err)
	}
	for _, of := range []string{".goreleaser.yaml", "Dockerfile"} {
		if text := readLicence(t, filepath.Join(testutil.Root(t), of)); !strings.Contains(text, "NOTICE") {
			t.Errorf("%s does not ship NOTICE", of)
		}
	}
}

const rule = "--------------------------------------------------------------------------------"

// carried lists the modules of packages that a program links, each as "path folder".
func carried(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Dir}}{{end}}", "./cmd/sparsekm")
		list.Dir, list.Env = testutil.Root(t), append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		text, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "github.com/sparsekm/sparsekm ") {
				all = append(all, line)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func goVariable(t *testing.T, name string) string {
	t.Helper()
	text, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

var licenceFile = regexp.MustCompile(`(?i)^(.*licen[sc]e.*|copying|notice|patents|ftl\.txt)$`)

// licences lists the licences in the top folder of a module, and in its folders that have such a name. Of the two
// licences of FreeType the programs take its own, not the GPL.
func licences(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && rel != "." && !licenceFile.MatchString(entry.Name()):
			return filepath.SkipDir
		case !entry.IsDir() && licenceFile.MatchString(entry.Name()):
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func readLicence(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
}

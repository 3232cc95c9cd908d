package release

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"
)

// TestVersions wants one version in all files that have it: the newest one of the changelog. While that has changes
// without a version, the Python package is a later one's development.
func TestVersions(t *testing.T) {
	var citation struct {
		Version string `yaml:"version"`
	}
	if err := yaml.Unmarshal([]byte(read(t, "CITATION.cff")), &citation); err != nil {
		t.Fatal(err)
	}
	var project struct {
		Project struct {
			Version string `toml:"version"`
		} `toml:"project"`
	}
	if err := toml.Unmarshal([]byte(read(t, "python/pyproject.toml")), &project); err != nil {
		t.Fatal(err)
	}
	version, unreleased := changelog(t)
	if citation.Version != version {
		t.Errorf("CITATION.cff has version %q, the changelog %s", citation.Version, version)
	}
	if python := project.Project.Version; unreleased != strings.HasSuffix(python, ".dev0") || !unreleased && python != version {
		t.Errorf("python/pyproject.toml has version %q, the changelog %s, and unreleased changes: %v", python, version, unreleased)
	}
}

// changelog is the newest version of the changelog, and whether there are changes after it.
func changelog(t *testing.T) (version string, unreleased bool) {
	t.Helper()
	headings := regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(read(t, "CHANGELOG.md"), -1)
	if len(headings) > 0 && headings[0][1] == "Unreleased" {
		unreleased, headings = true, headings[1:]
	}
	for _, h := range headings {
		if !regexp.MustCompile(`^v\d+\.\d+\.\d+$`).MatchString(h[1]) {
			t.Errorf("a heading %q of the changelog is no version", h[1])
		}
	}
	if len(headings) == 0 {
		t.Fatal("no version in the changelog")
	}
	return strings.TrimPrefix(headings[0][1], "v"), unreleased
}

// TestModules wants the same Go in all modules of the repository, and those that import others to want the version that
// the changelog has: whoever gets one of them gets the others as they were then.
func TestModules(t *testing.T) {
	version, _ := changelog(t)
	want := goVersion(t, "go.mod")
	modules := 0
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains([]string{".git", "bin", "testdata"}, rel)):
			return fs.SkipDir
		case entry.Name() != "go.mod" && entry.Name() != "go.work":
			return nil
		}
		modules++
		if got := goVersion(t, rel); got != want {
			t.Errorf("%s has Go %s, go.mod %s", rel, got, want)
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:require|\t)?\s*(github\.com/sparsekm/\S+) (v\S+)`).FindAllStringSubmatch(read(t, rel), -1) {
			if m[2] != "v"+version {
				t.Errorf("%s wants %s %s, the changelog has v%s", rel, m[1], m[2], version)
			}
		}
		return nil
	})
	if err != nil || modules < 7 {
		t.Errorf("%d modules, %v", modules, err)
	}
}

// TestProgramVersion builds the command where a tag is, with goreleaser's flags: the program says the tag.
func TestProgramVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := filepath.Join(t.TempDir(), "clone")
	version, _ := changelog(t)
	run := func(in, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = in, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOFLAGS=-trimpath")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("no repository of git")
	}
	run(root, "git", "clone", "-q", ".", dir)
	run(dir, "git", "tag", "-f", "v"+version)
	run(dir, "go", "build", "-buildvcs=true", "-o", "../sparsekm", "./cmd/sparsekm")
	got := run(dir, "../sparsekm", "version")
	if want := "sparsekm  v" + version + "\n"; !strings.HasPrefix(got, want) {
		t.Errorf("the program says %q, want %q", got, want)
	}
}

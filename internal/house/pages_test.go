package house

import (
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

// pages are those whose blocks run as they stand, each in a clone of its own.
var pages = []string{"README.md", "docs/guide/start.md", "docs/guide/choose.md", "docs/guide/shrink.md",
	"docs/guide/data.md", "docs/guide/leave.md", "docs/guide/operate.md", "docs/guide/scale.md", "docs/guide/own-method.md",
	"docs/guide/backend.md", "docs/tutorials/table.md", "docs/tutorials/service.md", "docs/tutorials/papers.md"}

// fence is a block of a page: its language and its lines.
var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// TestPages pastes the blocks of every page in their order: `sh` goes to a shell; `go` and `python` are files,
// which say in their first line where they are saved; `text` has lines that the block before printed.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	first := clone(t)
	paste(t, bash, first, "go build -o sparsekm ./cmd/sparsekm") // the pages that do so find that nothing has changed
	command, err := os.ReadFile(filepath.Join(first, "sparsekm"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			t.Parallel() // mostly other processes
			text, err := os.ReadFile(filepath.Join(testutil.Root(t), page))
			if err != nil {
				t.Fatal(err)
			}
			clone := clone(t)
			if err = os.WriteFile(filepath.Join(clone, "sparsekm"), command, 0o777); err != nil {
				t.Fatal(err)
			}
			blocks := fence.FindAllStringSubmatch(string(text), -1)
			if len(blocks) == 0 {
				t.Fatal("no block")
			}
			printed := ""
			for _, b := range blocks {
				switch b[1] {
				case "sh":
					printed = paste(t, bash, clone, b[2])
				case "text":
					wantPrinted(t, printed, b[2])
				case "go", "python":
					saveBlock(t, clone, b[2])
				}
			}
			if page == "README.md" {
				wantIgnored(t, clone)
			}
		})
	}
}

// wantIgnored wants git to ignore what the blocks left in dir: a build next to it would not be that of a commit.
func wantIgnored(t *testing.T, dir string) {
	t.Helper()
	root := testutil.Root(t)
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Log("no repository of git")
		return
	}
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if _, err = os.Stat(filepath.Join(root, f.Name())); err == nil {
			continue // it was there before, or here somebody has pasted the blocks too
		}
		name := f.Name()
		if f.IsDir() {
			name += "/"
		}
		if err = exec.CommandContext(t.Context(), "git", "-C", root, "check-ignore", "-q", name).Run(); err != nil {
			t.Errorf("%s is left behind, and .gitignore does not know it: %v", name, err)
		}
	}
}

// wanted is what a block's first line says that it wants: a module of Python's, or Beam's Go modules.
var wanted = regexp.MustCompile(`^# wants ([a-z.]+)\n`)

// lacks is why a block that wants an engine does not run here, empty if it does. Engines are large, and slow to start.
func lacks(t *testing.T, dir, block string) string {
	engine := wanted.FindStringSubmatch(block)
	if engine == nil {
		return ""
	}
	if os.Getenv("SPARSEKM_SCALE") == "" {
		return engine[1] + " runs with SPARSEKM_SCALE=1"
	}
	look := exec.CommandContext(t.Context(), "python3", "-c", "import "+engine[1])
	if engine[1] == "beam" {
		look = exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx")
		look.Dir, look.Env = filepath.Join(dir, "examples", "beam"), append(os.Environ(), "GOPROXY=off")
	}
	if out, err := look.CombinedOutput(); err != nil {
		return "no " + engine[1] + ": " + string(out)
	}
	return ""
}

// notRun is what a block prints that this computer cannot run.
const notRun = "not run"

// paste runs one block and returns what it prints. A block that calls one of the programs is for machines that have it.
func paste(t *testing.T, bash, dir, block string) string {
	t.Helper()
	if why := lacks(t, dir, block); why != "" {
		t.Logf("%s: not run\n%s", why, block)
		return notRun
	}
	for _, program := range []string{"python3", "curl", "cc", "awk"} {
		if _, err := exec.LookPath(program); err != nil && regexp.MustCompile(`\b`+program+" ").MatchString(block) {
			t.Logf("no %s: not run\n%s", program, block)
			return notRun
		}
	}
	cmd := exec.CommandContext(t.Context(), bash, "-euo", "pipefail", "-c", block)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath") // else nothing built elsewhere is used again
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v of\n%s\nprinted\n%s", err, block, out)
	}
	return string(out)
}

// wantPrinted wants the lines of a block in what the block before printed, in their order. An … stands for anything.
func wantPrinted(t *testing.T, printed, block string) {
	t.Helper()
	if printed == notRun {
		return
	}
	rest := printed
	for line := range strings.Lines(block) {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(line, "\n")), "…", ".*")
		at := regexp.MustCompile("(?m)^" + pattern).FindStringIndex(rest)
		if at == nil {
			t.Fatalf("%q is not printed there; the block before printed\n%s", line, printed)
		}
		rest = rest[at[1]:]
	}
}

// TestTutorials wants every block of a tutorial to be run, or to be an example of Python's doctest.
func TestTutorials(t *testing.T) {
	root := testutil.Root(t)
	tutorials, err := filepath.Glob(filepath.Join(root, "docs", "tutorials", "*.md"))
	if err != nil || len(tutorials) < 4 {
		t.Fatalf("%d tutorials, %v", len(tutorials), err)
	}
	examples, err := os.ReadFile(filepath.Join(root, "python", "tests", "test_estimators.py"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range tutorials {
		name := "docs/tutorials/" + filepath.Base(file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doctest := !slices.Contains(pages, name)
		if doctest && !strings.Contains(string(examples), `"`+name+`"`) {
			t.Errorf("%s: no test runs it", name)
		}
		for _, b := range fence.FindAllStringSubmatch(string(text), -1) {
			run := slices.Contains([]string{"sh", "go", "python", "text"}, b[1])
			if doctest {
				run = b[1] == "python" && strings.HasPrefix(b[2], ">>> ")
			}
			if !run {
				t.Errorf("%s: no test runs\n%s", name, b[0])
			}
		}
	}
}

// saveBlock writes a program to the file that its first line names.
func saveBlock(t *testing.T, dir, block string) {
	t.Helper()
	name := regexp.MustCompile(`^(?://|#) ([a-z_]+(?:/[a-z_]+)*\.(?:go|py))\n`).FindStringSubmatch(block)
	if name == nil {
		t.Fatalf("the first line names no file, such as \"// use/main.go\":\n%s", block)
	}
	file := filepath.Join(dir, name[1])
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(block), 0o666); err != nil {
		t.Fatal(err)
	}
}

// clone copies what the module is built from and the files that the pages use.
func clone(t *testing.T) string {
	t.Helper()
	root, dir := testutil.Root(t), t.TempDir()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch kind := filepath.Ext(name); {
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || slices.Contains([]string{"bin", "capi"}, name)):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, name), 0o777)
		case !strings.HasPrefix(name, "cmd") && // the command embeds templates of several kinds
			!slices.Contains([]string{".go", ".py", ".s", ".h", ".libsvm", ".mod", ".sum"}, kind):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

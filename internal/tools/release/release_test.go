// Package release has the tests of what a release is made with: workflows, the configuration of goreleaser, versions.
package release

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const root = "../../.."

// workflow is what our workflows have of GitHub's; another key is an error.
type workflow struct {
	Name        string            `yaml:"name"`
	On          yaml.Node         `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]job    `yaml:"jobs"`
}

type job struct {
	Uses        string            `yaml:"uses"`
	Needs       []string          `yaml:"needs"`
	RunsOn      string            `yaml:"runs-on"`
	Timeout     int               `yaml:"timeout-minutes"`
	Permissions map[string]string `yaml:"permissions"`
	Steps       []step            `yaml:"steps"`
}

type step struct {
	Uses yaml.Node         `yaml:"uses"` // with its comment, which has the version
	Run  string            `yaml:"run"`
	With map[string]string `yaml:"with"`
	Env  map[string]string `yaml:"env"`
}

// TestWorkflows wants workflows to run only what everybody can run by hand, with actions that cannot change.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	targets := targets(t)
	for _, file := range files {
		name := filepath.Base(file)
		var w workflow
		decode(t, filepath.Join(".github", "workflows", name), &w)
		if w.On.IsZero() || len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: no event, or more than read permission for all jobs: %v", name, w.Permissions)
		}
		for id, j := range w.Jobs {
			at := name + ": " + id
			for _, other := range j.Needs {
				if _, ok := w.Jobs[other]; !ok {
					t.Errorf("%s needs %s, which is no job", at, other)
				}
			}
			if j.Uses != "" {
				if _, err := os.Stat(filepath.Join(root, j.Uses)); err != nil || !strings.HasPrefix(j.Uses, "./") {
					t.Errorf("%s uses %s, which is no workflow here: %v", at, j.Uses, err)
				}
				continue
			}
			if !regexp.MustCompile(`^[a-z]+-[0-9.]+$`).MatchString(j.RunsOn) || j.Timeout < 5 || j.Timeout > 180 {
				t.Errorf("%s runs on %q for at most %d minutes", at, j.RunsOn, j.Timeout)
			}
			for _, s := range j.Steps {
				checkStep(t, at, s, targets)
			}
		}
	}
}

// pinned is a commit of an action.
var pinned = regexp.MustCompile(`^([\w.-]+/[\w./-]+)@[0-9a-f]{40}$`)

// needs are the inputs without which an action does too much, or has another Go than go.mod.
var needs = map[string]map[string]string{
	"actions/checkout": {"persist-credentials": "false"},
	"actions/setup-go": {"check-latest": "true", "cache": "false"},
}

func checkStep(t *testing.T, at string, s step, targets []string) {
	t.Helper()
	if (s.Run == "") == s.Uses.IsZero() {
		t.Errorf("%s: a step that runs %q and uses %q", at, s.Run, s.Uses.Value)
	}
	if use := s.Uses.Value; use != "" {
		action := pinned.FindStringSubmatch(use)
		if action == nil || !regexp.MustCompile(`^# v\d+\.\d+\.\d+$`).MatchString(s.Uses.LineComment) {
			t.Fatalf("%s: %s %s is no commit with its version", at, use, s.Uses.LineComment)
		}
		for key, want := range needs[action[1]] {
			if got := s.With[key]; got != want {
				t.Errorf("%s: %s has %s %q, want %q", at, action[1], key, got, want)
			}
		}
		want := strings.Join(strings.Split(goVersion(t, "go.mod"), ".")[:2], ".")
		if got := s.With["go-version"]; action[1] == "actions/setup-go" && got != want {
			t.Errorf("%s: Go %q, go.mod has %s", at, got, want)
		}
	}
	for line := range strings.Lines(s.Run) {
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "make":
			if !slices.Contains(targets, words[1]) {
				t.Errorf("%s: the Makefile has no %s", at, words[1])
			}
		case len(words) == 1:
			if info, err := os.Stat(filepath.Join(root, words[0])); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
				t.Errorf("%s: %s is no program here: %v", at, words[0], err)
			}
		default:
			t.Errorf("%s: %q is neither a target nor a program", at, line)
		}
	}
}

// TestActionsAgree wants one commit of an action in all workflows.
func TestActionsAgree(t *testing.T) {
	commits := map[string]string{}
	for _, name := range []string{"ci.yml", "release.yml"} {
		var w workflow
		decode(t, ".github/workflows/"+name, &w)
		for _, j := range w.Jobs {
			for _, s := range j.Steps {
				action, commit, ok := strings.Cut(s.Uses.Value, "@")
				if was := commits[action]; ok && was != "" && was != commit {
					t.Errorf("%s is %s and %s", action, was, commit)
				}
				commits[action] = commit
			}
		}
	}
	if commits["actions/checkout"] == "" {
		t.Errorf("no checkout in %v", commits)
	}
}

// TestReleaseWorkflow wants a tag to go through everything that .ci/run checks before it becomes a draft, which has wheels
// and comes with the site.
func TestReleaseWorkflow(t *testing.T) {
	var ci, release workflow
	decode(t, ".github/workflows/ci.yml", &ci)
	decode(t, ".github/workflows/release.yml", &release)
	if got := commands(ci.Jobs["all"]); !slices.Equal(got, []string{".ci/run"}) {
		t.Errorf("ci runs %v", got)
	}
	var on struct {
		Push struct {
			Tags []string `yaml:"tags"`
		} `yaml:"push"`
	}
	if err := release.On.Decode(&on); err != nil || !slices.Equal(on.Push.Tags, []string{"v*"}) {
		t.Errorf("tags %v, %v", on.Push.Tags, err)
	}
	if got := release.Jobs["ci"].Uses; got != "./.github/workflows/ci.yml" {
		t.Errorf("the first job uses %q", got)
	}
	draft := release.Jobs["draft"]
	if !slices.Contains(draft.Needs, "ci") {
		t.Error("a draft does not wait for ci")
	}
	if got, want := commands(draft), []string{"make wheels", "make site", "make release"}; !slices.Equal(got, want) {
		t.Errorf("a draft runs %q, want %q", got, want)
	}
}

func commands(j job) (all []string) {
	for _, s := range j.Steps {
		for line := range strings.Lines(s.Run) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// TestReaders wants the tests above to reject what they are for.
func TestReaders(t *testing.T) {
	for text, want := range map[string]string{
		"name: a\nnmae: b\n":                     "nmae",
		"jobs: {x: {timeout: 3}}\n":              "timeout",
		"jobs: {x: {steps: [{runs: make all}]}}": "runs",
	} {
		if err := strict([]byte(text), &workflow{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for use, want := range map[string]bool{
		"actions/checkout@v7": false,
		"actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1": true,
		"actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b":  false,
		"checkout@3d3c42e5aac5ba805825da76410c181273ba90b1":         false,
	} {
		if got := pinned.MatchString(use); got != want {
			t.Errorf("%s: pinned is %v", use, got)
		}
	}
}

// decode reads a file of the repository.
func decode(t *testing.T, name string, into any) {
	t.Helper()
	if err := strict([]byte(read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// strict decodes a document whose keys are all known.
func strict(text []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return err
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return errors.New("more than one document")
	}
	return nil
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// targets lists the targets of the Makefile.
func targets(t *testing.T) (all []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		all = append(all, m[1])
	}
	return all
}

func goVersion(t *testing.T, file string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^go (\d+\.\d+\.\d+)$`).FindStringSubmatch(read(t, file))
	if m == nil {
		t.Fatalf("%s names no Go", file)
	}
	return m[1]
}

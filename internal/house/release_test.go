package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestReleaseTargets wants `make cross` to check every system that a release is made for, unless tests run there.
func TestReleaseTargets(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(testutil.Root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	config := read(".goreleaser.yaml")
	list := func(key string) []string {
		found := regexp.MustCompile(`(?m)^ +` + key + `: \[(.*)\]$`).FindStringSubmatch(config)
		if found == nil {
			t.Fatalf("no %s in the configuration", key)
		}
		return strings.Split(found[1], ", ")
	}
	found := regexp.MustCompile(`(?m)^release="(.*)"$`).FindStringSubmatch(read("internal/tools/cross.sh"))
	if found == nil {
		t.Fatal("cross.sh has no list of a release's targets")
	}
	want := []string{}
	for _, system := range list("goos") {
		for _, arch := range list("goarch") {
			want = append(want, system+"/"+arch)
		}
	}
	got := strings.Fields(found[1])
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("cross.sh checks %v, a release %v", got, want)
	}
}

// TestWheels wants every wheel's tag to name the system, the processor and the oldest version that Go and zig build
// for, and the page of the package to name every tag.
func TestWheels(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(testutil.Root(t), "python", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	script, page := read("wheels.py"), read("README.md")
	row := regexp.MustCompile(`(?m)^    "([\w.]+)": \("(\w+)", "(\w+)", "([\w.-]+)"\),$`)
	rows := row.FindAllStringSubmatch(script, -1)
	if len(rows) < 5 {
		t.Fatalf("wheels.py has %d rows", len(rows))
	}
	type platform struct{ tag, system, processor, target string }
	want := map[string]platform{}
	for _, p := range []struct{ zig, linux, darwin, windows, processor string }{
		{"x86_64", "x86_64", "x86_64", "amd64", "amd64"}, {"aarch64", "aarch64", "arm64", "arm64", "arm64"},
	} {
		for _, w := range []platform{
			{"manylinux_2_17_" + p.linux + ".manylinux2014_" + p.linux, "linux", p.processor, p.zig + "-linux-gnu.2.17"},
			{"macosx_12_0_" + p.darwin, "darwin", p.processor, p.zig + "-macos.12.0"},
			{"win_" + p.windows, "windows", p.processor, p.zig + "-windows-gnu"},
		} {
			want[w.tag] = w
		}
	}
	for _, row := range rows {
		if got := (platform{row[1], row[2], row[3], row[4]}); got != want[row[1]] {
			t.Errorf("wheels.py: %v, want %v", got, want[row[1]])
		}
		if short, _, _ := strings.Cut(row[1], "."); !strings.Contains(page, "`"+short+"`") {
			t.Errorf("python/README.md does not name %s", short)
		}
	}
}

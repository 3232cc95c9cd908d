package release

import (
	"regexp"
	"strings"
	"testing"
)

// TestWheels wants every wheel's tag to name the system, the processor and the oldest version that Go and zig build
// for, and the page of the package to name every tag.
func TestWheels(t *testing.T) {
	script, page := read(t, "python/wheels.py"), read(t, "python/README.md")
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

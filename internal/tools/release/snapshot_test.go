package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var dist = flag.String("dist", "", "what goreleaser has made: `folder` of `make snapshot`")

// made lists the files of a snapshot that match, of which there must be count.
func made(t *testing.T, count int, pattern string) []string {
	t.Helper()
	if *dist == "" {
		t.Skip("`make snapshot` runs it")
	}
	files, err := filepath.Glob(filepath.Join(*dist, pattern))
	if err != nil || len(files) != count {
		t.Fatalf("%s: %v, want %d; %v", pattern, files, count, err)
	}
	return files
}

// sums reads the file of checksums.
func sums(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(string(load(t, made(t, 1, "SHA256SUMS")[0]))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		all[name] = sum
	}
	return all
}

// TestSnapshotSums wants the sum of every file that is published, and in the cask those of the archives that it names.
func TestSnapshotSums(t *testing.T) {
	sums := sums(t)
	var files []string
	for pattern, count := range map[string]int{"*.tar.gz": 4, "*.zip": 2, "*.deb": 2, "*.rpm": 2, "*.apk": 2, "*.cdx.json": 12} {
		files = append(files, made(t, count, pattern)...)
	}
	for _, file := range files {
		sum := sha256.Sum256(load(t, file))
		if got := sums[filepath.Base(file)]; got != hex.EncodeToString(sum[:]) {
			t.Errorf("%s has the sum %x, SHA256SUMS %s", file, sum, got)
		}
	}
	cask := string(load(t, made(t, 1, "homebrew/Casks/sparsekm.rb")[0]))
	version := regexp.MustCompile(`version "(.*)"`).FindStringSubmatch(cask)[1]
	found := regexp.MustCompile(`(?s)sha256 "([0-9a-f]{64})"\s+`+
		`url "https://github.com/sparsekm/sparsekm/releases/download/v[^/]+/([^"/]+)"`).FindAllStringSubmatch(cask, -1)
	for _, m := range found {
		if name := strings.ReplaceAll(m[2], "#{version}", version); sums[name] != m[1] {
			t.Errorf("the cask has %s with the sum %s, SHA256SUMS %q", name, m[1], sums[name])
		}
	}
	if len(found) != 4 {
		t.Errorf("the cask names %d archives, want 4:\n%s", len(found), cask)
	}
}

// TestSnapshotArchives wants archives with everything that the configuration lists and the program of their system; and
// bills of materials and NOTICE with every module of that program.
func TestSnapshotArchives(t *testing.T) {
	notice := read(t, "NOTICE")
	for _, file := range append(made(t, 4, "*.tar.gz"), made(t, 2, "*.zip")...) {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".tar.gz"), ".zip")
		parts := strings.Split(name, "_")
		system, arch := parts[len(parts)-2], parts[len(parts)-1]
		program := "sparsekm"
		if system == "windows" {
			program += ".exe"
		}
		want := []string{program}
		for _, f := range configuration(t).Archives[0].Files {
			want = append(want, cmp.Or(f.Destination, f.Source))
		}
		slices.Sort(want)
		files := unpack(t, file)
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
		info, err := buildinfo.Read(bytes.NewReader(files[program]))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		settings := map[string]string{"GOOS": system, "GOARCH": arch, "CGO_ENABLED": "0", "-trimpath": "true", "vcs": "git"}
		for _, s := range info.Settings {
			if want, ok := settings[s.Key]; ok && s.Value == want {
				delete(settings, s.Key)
			}
		}
		if len(settings) > 0 {
			t.Errorf("%s was not built with %v", name, settings)
		}
		bill := components(t, filepath.Join(*dist, name+".cdx.json"))
		for _, m := range info.Deps {
			if !bill[m.Path+"@"+m.Version] || !strings.Contains(notice, "\n"+m.Path+": ") {
				t.Errorf("%s links %s %s: in its bill of materials is %v, or NOTICE lacks it", name, m.Path, m.Version, bill)
			}
		}
		if len(info.Deps) < 3 || len(bill) != len(info.Deps)+1 { // Go's library
			t.Errorf("%s links %d modules, its bill of materials has %v", name, len(info.Deps), bill)
		}
	}
}

// components reads which module@version a bill of materials has.
func components(t *testing.T, file string) map[string]bool {
	t.Helper()
	var bill struct {
		Components []struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"components"`
	}
	if err := json.Unmarshal(load(t, file), &bill); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	all := map[string]bool{}
	for _, c := range bill.Components {
		all[c.Name+"@"+c.Version] = true
	}
	return all
}

// TestSnapshotPackages wants packages with what the configuration lists for their kind.
func TestSnapshotPackages(t *testing.T) {
	for _, format := range configuration(t).Packages[0].Formats {
		want := []string{"/usr/bin/sparsekm", "/usr/bin/sparsekm-serve"}
		for _, f := range configuration(t).Packages[0].Contents {
			if f.Packager == "" || f.Packager == format {
				want = append(want, f.Destination)
			}
		}
		slices.Sort(want)
		for _, file := range made(t, 2, "*."+format) {
			var got []string
			if format == "rpm" {
				if _, err := exec.LookPath("rpm"); err != nil {
					t.Logf("%s: not read without rpm", file)
					continue
				}
				got = strings.Fields(output(t, "rpm", "-qpl", file))
			} else {
				for name := range unpack(t, file) {
					if name = "/" + strings.Trim(name, "./"); strings.HasPrefix(name, "/usr/") {
						got = append(got, name)
					}
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s has %v, want %v", file, got, want)
			}
		}
	}
}

// TestSnapshotInstalls installs the Debian package below an empty folder, runs the command where nothing else is, and
// removes it.
func TestSnapshotInstalls(t *testing.T) {
	file := made(t, 1, "*_"+runtime.GOARCH+".deb")[0]
	if _, err := exec.LookPath("dpkg"); err != nil || os.Getuid() != 0 {
		t.Skip("needs dpkg, and root for chroot")
	}
	dir := t.TempDir()
	dpkg := []string{"--root=" + dir, "--force-script-chrootless", "--log=" + filepath.Join(dir, "log")}
	if err := os.MkdirAll(filepath.Join(dir, "var/lib/dpkg/updates"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"var/lib/dpkg/status": "", "ripley": read(t, "testdata/ripley.train.libsvm")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	output(t, "dpkg", append(dpkg, "--install", file)...)
	if out := output(t, "dpkg", append(dpkg, "--verify", "sparsekm")...); out != "" {
		t.Errorf("dpkg --verify: %s", out)
	}
	for _, args := range []string{"version", "train --method svc --sigma 0.5 --out /m.skm /ripley", "predict /m.skm /ripley --out /labels"} {
		output(t, "chroot", append([]string{dir, "/usr/bin/sparsekm"}, strings.Fields(args)...)...)
	}
	if labels := bytes.Count(load(t, filepath.Join(dir, "labels")), []byte("\n")); labels != 250 {
		t.Errorf("%d labels, want 250", labels)
	}
	output(t, "dpkg", append(dpkg, "--purge", "sparsekm")...)
	if _, err := os.Stat(filepath.Join(dir, "usr/bin/sparsekm")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the command is still there: %v", err)
	}
}

// unpack reads the files of an archive: tar.gz, zip, apk (three such archives in one), deb (one in an ar archive).
func unpack(t *testing.T, name string) map[string][]byte {
	t.Helper()
	text, files := load(t, name), map[string][]byte{}
	switch filepath.Ext(name) {
	case ".zip":
		archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, f := range archive.File {
			r, err := f.Open()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if files[f.Name], err = io.ReadAll(r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		return files
	case ".deb":
		text = member(t, text, "data.tar.gz")
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if header.Typeflag == tar.TypeReg {
			if files[header.Name], err = io.ReadAll(archive); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// member is a file of an ar archive.
func member(t *testing.T, archive []byte, name string) []byte {
	t.Helper()
	for rest := bytes.TrimPrefix(archive, []byte("!<arch>\n")); len(rest) >= 60; {
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size < 0 || size > len(rest)-60 {
			t.Fatalf("an ar archive with a member of %d bytes: %v", size, err)
		}
		if strings.TrimRight(string(rest[:16]), " /") == name {
			return rest[60 : 60+size]
		}
		rest = rest[min(60+size+size%2, len(rest)):]
	}
	t.Fatalf("no %s in an ar archive", name)
	return nil
}

func load(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// output runs a program, which must succeed.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

package release

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// config is what these tests read of goreleaser's configuration, which `goreleaser check` knows whole.
type config struct {
	Dist   string `yaml:"dist"`
	Before struct {
		Hooks []string `yaml:"hooks"`
	} `yaml:"before"`
	Builds []struct {
		Goos   []string `yaml:"goos"`
		Goarch []string `yaml:"goarch"`
	} `yaml:"builds"`
	Archives []struct {
		Files []file `yaml:"files"`
	} `yaml:"archives"`
	Packages []struct {
		Formats  []string `yaml:"formats"`
		Contents []file   `yaml:"contents"`
	} `yaml:"nfpms"`
	Casks []struct {
		Manpages    []string          `yaml:"manpages"`
		Completions map[string]string `yaml:"completions"`
	} `yaml:"homebrew_casks"`
	Images []struct {
		Dockerfile string   `yaml:"dockerfile"`
		Files      []string `yaml:"extra_files"`
	} `yaml:"dockers_v2"`
	Checksum struct {
		Name string `yaml:"name_template"`
	} `yaml:"checksum"`
}

type file struct {
	Source      string `yaml:"src"`
	Destination string `yaml:"dst"`
	Packager    string `yaml:"packager"`
}

func configuration(t *testing.T) (c config) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, ".goreleaser.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Builds) != 2 || len(c.Archives) != 1 || len(c.Packages) != 1 || len(c.Casks) != 1 || len(c.Images) != 1 {
		t.Fatalf("two builds; an archive, package, cask and image each: %+v", c)
	}
	return c
}

// TestTargets wants `make cross` to check every system that a release is made for, unless tests run there.
func TestTargets(t *testing.T) {
	found := regexp.MustCompile(`(?m)^release="(.*)"$`).FindStringSubmatch(read(t, "internal/tools/cross.sh"))
	if found == nil {
		t.Fatal("cross.sh has no list of a release's targets")
	}
	build := configuration(t).Builds[0]
	var want []string
	for _, system := range build.Goos {
		for _, arch := range build.Goarch {
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

// TestFiles wants every file of archives, packages and images to be in the repository, or to be made by the target that
// goreleaser calls first. Licences are in all of them; what the cask installs is in the archive.
func TestFiles(t *testing.T) {
	c := configuration(t)
	if !slices.Equal(c.Before.Hooks, []string{"make manual"}) {
		t.Errorf("before: %q", c.Before.Hooks)
	}
	recipe := regexp.MustCompile(`(?m)^manual:.*\n((?:\t.*\n)+)`).FindString(read(t, "Makefile"))
	exists := func(name string) {
		if made, ok := strings.CutPrefix(name, "bin/manual/"); ok {
			if !strings.Contains(recipe, " $(BIN)/manual/"+made+"\n") {
				t.Errorf("make manual does not write %s", made)
			}
		} else if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.IsDir() {
			t.Errorf("no file %s: %v", name, err)
		}
	}
	archived := map[string]bool{}
	for _, f := range c.Archives[0].Files {
		exists(f.Source)
		archived[f.Source], archived[f.Destination] = true, true
	}
	for _, name := range append(slices.Clone(c.Casks[0].Manpages), c.Casks[0].Completions["bash"],
		c.Casks[0].Completions["fish"], c.Casks[0].Completions["zsh"]) {
		if !archived[name] {
			t.Errorf("the cask installs %q, which the archive lacks", name)
		}
	}
	for _, format := range c.Packages[0].Formats {
		packed := map[string]bool{}
		for _, f := range c.Packages[0].Contents {
			exists(f.Source)
			if f.Packager == "" || f.Packager == format {
				packed[f.Source] = true
			}
		}
		for _, name := range []string{"LICENSE", "NOTICE", "bin/manual/sparsekm.1.gz", "bin/manual/sparsekm.bash",
			"bin/manual/sparsekm.fish", "bin/manual/_sparsekm"} {
			if !packed[name] {
				t.Errorf("the package of %s lacks %s", format, name)
			}
		}
	}
	exists(c.Images[0].Dockerfile)
	for _, name := range []string{"LICENSE", "NOTICE"} {
		if !archived[name] || !slices.Contains(c.Images[0].Files, name) {
			t.Errorf("archive or image lacks %s", name)
		}
	}
	if want := "{subject-checksums: " + c.Dist + "/" + c.Checksum.Name + "}"; !strings.Contains(
		read(t, ".github/workflows/release.yml"), want) {
		t.Errorf("the workflow attests no %s", want)
	}
}

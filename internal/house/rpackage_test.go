package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestRPackage checks of the R package what needs no R: `make r` needs it. The compiler compares src/library.c with the
// header in the tests of capi.
func TestRPackage(t *testing.T) {
	folder := filepath.Join(testutil.Root(t), "r")
	read := func(pattern string) string {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		var all strings.Builder
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		return all.String()
	}
	code, shim, header, manual := read("R/*.R"), read("src/shim.c"), read("src/library.h"), read("man/*.Rd")

	registered := map[string]int{}
	for _, found := range regexp.MustCompile(`\{"(C_\w+)", \(DL_FUNC\)&R_\w+, (\d+)\}`).FindAllStringSubmatch(shim, -1) {
		registered[found[1]], _ = strconv.Atoi(found[2])
	}
	called := map[string]bool{}
	for _, at := range regexp.MustCompile(`\.Call\((C_\w+)`).FindAllStringSubmatchIndex(code, -1) {
		name := code[at[2]:at[3]]
		called[name] = true
		if want, ok := registered[name]; !ok || arguments(code[at[3]:]) != want {
			t.Errorf("%s has %d arguments in R and %d in C, registered: %v", name, arguments(code[at[3]:]), want, ok)
		}
	}
	if len(called) != len(registered) || len(called) < 10 {
		t.Errorf("R calls %d functions, C registers %d", len(called), len(registered))
	}
	for _, found := range regexp.MustCompile(`\bCALL\((\w+), [^.]`).FindAllStringSubmatch(shim, -1) {
		if !strings.Contains(header, "F("+found[1]+")") {
			t.Errorf("shim.c calls skm_%s, which library.h does not load", found[1])
		}
	}
	exported := regexp.MustCompile(`export\((.*)\)`).FindStringSubmatch(read("NAMESPACE"))
	for name := range strings.SplitSeq(exported[1], ", ") {
		defined := regexp.MustCompile(`(?m)^` + name + ` <- function`).MatchString(code)
		if !defined || !strings.Contains(manual, `\alias{`+name+`}`) {
			t.Errorf("%s is exported, but not defined or not documented", name)
		}
	}
	version := regexp.MustCompile(`(?m)^Version: (.*)$`).FindStringSubmatch(read("DESCRIPTION"))[1]
	if !strings.Contains(read("../python/pyproject.toml"), `version = "`+version) {
		t.Errorf("the version %s is not that of the Python package", version)
	}
}

// arguments counts the further arguments of a call, from behind the first one.
func arguments(rest string) (n int) {
	depth := 1
	for _, c := range rest {
		switch {
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case c == ',' && depth == 1:
			n++
		}
		if depth == 0 {
			return n
		}
	}
	return -1
}

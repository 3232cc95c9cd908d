package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// OnPages returns an error for each command `go run ./bench/NAME TASK` of the pages in a folder that is not a task of
// the suite. After "at" stands the commit that has the program.
func (s Suite) OnPages(name, folder string) (errs []error) {
	command := regexp.MustCompile("`[^`\n]*go run \\./bench/" + name + "([^`\n]*)`( at [0-9a-f]{8})?")
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil || len(files) == 0 {
		return []error{fmt.Errorf("%d pages: %w", len(files), err)}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return []error{err}
		}
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
			words := strings.Fields(m[1])
			if m[2] != "" || len(words) == 0 || words[len(words)-1] == "NAME" {
				continue
			}
			if last := words[len(words)-1]; s[last].Run == nil {
				errs = append(errs, fmt.Errorf("%s: %s has no task %q", filepath.Base(file), name, last))
			}
		}
	}
	return errs
}

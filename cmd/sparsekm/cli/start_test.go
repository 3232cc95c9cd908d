package cli

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Initialisation of our packages allocates little: registers and tables, nothing computed.
func TestInitAllocatesLittle(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	const most = 130 // 75 at the time of writing; the packages of others that draw and serve have 1600
	ours, packages := 0, 0
	for _, m := range regexp.MustCompile(`init (\S+) .* (\d+) allocs`).FindAllStringSubmatch(string(out), -1) {
		if strings.HasPrefix(m[1], "github.com/sparsekm/") && !strings.HasSuffix(m[1], "/cli") { // which has tests' tables
			n, err := strconv.Atoi(m[2])
			if err != nil {
				t.Fatal(err)
			}
			ours += n
			packages++
		}
	}
	if packages < 5 || ours > most {
		t.Errorf("%d packages of ours allocate %d times before main begins, at most %d are expected", packages, ours, most)
	}
}

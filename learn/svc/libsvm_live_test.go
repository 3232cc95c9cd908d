package svc

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// run trains by svm-train and returns the model file.
func (s setting) run(tb testing.TB, program string) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "model")
	words := strings.Fields(s.command())
	args := append(words[1:len(words)-1:len(words)-1], "-q", testutil.Testdata(tb, s.File), file)
	if out, err := exec.CommandContext(tb.Context(), program, args...).CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", s.command(), err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// TestAgainstLIBSVM runs LIBSVM, where it is installed, and holds the trainer against it.
func TestAgainstLIBSVM(t *testing.T) {
	program := testutil.Program(t, "svm-train") // TestLIBSVMRecorded has its results
	for _, s := range settings {
		t.Run(s.File+" "+s.Flags, func(t *testing.T) { s.check(t, s.libsvm(t, s.run(t, program))) })
	}
}

// record writes the results of the svm-train that is installed.
func record(tb testing.TB, path string) {
	tb.Helper()
	version, err := exec.CommandContext(tb.Context(), "dpkg-query", "-W", "-f", "${Version}", "libsvm-tools").Output()
	if err != nil {
		tb.Fatalf("libsvm-tools is not installed: %v", err)
	}
	var lines []string // one for each run
	for _, s := range settings {
		machines := s.libsvm(tb, s.run(tb, "svm-train"))
		line, err := json.Marshal(recorded{Command: s.command(), Version: string(version), Machines: machines})
		if err != nil {
			tb.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	if err := os.WriteFile(path, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644); err != nil {
		tb.Fatal(err)
	}
}

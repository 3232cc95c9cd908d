package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// Classes of one or two samples stop no command, which names them once.
func TestRareClasses(t *testing.T) {
	several := strings.Repeat("1 1:1 2:.5\n1 1:1.2\n2 1:3 2:.2\n2 1:3.3 2:1\n", 6)
	for name, text := range map[string]string{
		"several classes": several + "7 1:9\n8 2:9\n8 2:8\n", "two classes": strings.Repeat("1 1:1\n1 1:1.2\n", 9) + "7 1:9\n",
	} {
		file := write(t, "rare.libsvm", text)
		for _, args := range []string{"cv -m svc", "cv -m svc --folds 18", "tune -m svc --grid c=1,10 --outer 3 --folds 3",
			"fit --time-limit 20s", "fit --time-limit 20s --calibrate --metric logloss", "train -m svc --holdout 30%",
			"train -m svc --holdout 70%", "compare -m svc --folds 3 --grid c=1,10 --ledger " + filepath.Join(t.TempDir(), "runs")} {
			r := must(t, append(strings.Fields(args), file)...)
			if strings.Count(r.stderr, "one or two samples: 7 (1)") != 1 || strings.Contains(r.stdout, "not be judged") ||
				strings.Contains(r.stdout, "left out linear") {
				t.Errorf("%s: %s: %s%s", name, args, r.stdout, r.stderr)
			}
		}
	}
	lone := write(t, "lone.libsvm", "1 1:1\n2 1:2\n3 1:3\n")
	for _, args := range []string{"cv -m svc --folds 3", "train -m svc --holdout 0.4", "fit --task classify"} {
		if r := command(t, "", append(strings.Fields(args), lone)...); r.code == 0 || strings.Contains(r.stderr, "panic") {
			t.Errorf("%s of classes of one sample: status %d, %s", args, r.code, r.stderr)
		}
	}
}

package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// passengers writes the rows from lo to hi of a table of passengers; holes are columns with a missing cell in each
// seventh row, and of age some are missing in any case. later has no label.
func passengers(t *testing.T, seed uint64, lo, hi int, later bool, holes ...string) string {
	names := []string{"id", "survived", "class", "name", "sex", "age", "siblings", "ticket", "fare", "port", "alone", "day"}
	var b strings.Builder
	for i := -1; i < hi; i++ {
		r := rand.New(rand.NewPCG(seed, uint64(i+1)))
		class, female := 1+r.IntN(3), r.IntN(3) == 0
		cells := map[string]string{"id": fmt.Sprint(i + 1), "class": fmt.Sprint(class), "name": fmt.Sprintf("\"Name, %d\"", i),
			"sex": "male", "age": fmt.Sprint(1 + r.IntN(70)), "siblings": fmt.Sprint(r.IntN(3)), "ticket": fmt.Sprint("A/", 7*i),
			"fare": fmt.Sprintf("%.4f", 60/float64(class)+9*r.Float64()), "port": []string{"S", "C", "Q"}[r.IntN(3)],
			"alone": []string{"no", "yes"}[r.IntN(2)], "day": fmt.Sprintf("1912-04-%02d", 1+r.IntN(28)), "survived": "0"}
		if female {
			cells["sex"] = "female"
		}
		if female != (class == 3 && r.IntN(2) == 0) {
			cells["survived"] = "1"
		}
		if i%6 == 0 {
			cells["age"] = ""
		}
		for _, name := range holes {
			if i%7 == 0 {
				cells[name] = ""
			}
		}
		if i >= 0 && i < lo {
			continue
		}
		var row []string
		for _, name := range names {
			cell := cells[name]
			if i < 0 {
				cell = name
			}
			if name != "survived" || !later {
				row = append(row, cell)
			}
		}
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return write(t, "passengers.csv", b.String())
}

// TestLaterHoles predicts later files whose missing cells are in columns that the training has complete.
func TestLaterHoles(t *testing.T) {
	columns := []string{"fare", "sex", "class", "port", "alone", "day", "siblings"}
	for seed := range uint64(20) {
		holes := columns[seed%7 : seed%7+1]
		if seed >= 14 {
			holes = columns
		}
		method := []string{"svc", "ssvc-b", "direct", "lssvm"}[seed%4]
		model := filepath.Join(t.TempDir(), "m"+[]string{".skm", ".json"}[seed%2])
		must(t, "train", "-m", method, "--label-column", "survived", "-o", model, passengers(t, seed, 0, 60, false))
		whole := must(t, "predict", "--decisions", model, passengers(t, seed, 60, 90, true)).stdout
		file := passengers(t, seed, 60, 90, true, holes...)
		r := must(t, "predict", "--decisions", model, file)
		want, got := strings.Split(whole, "\n"), strings.Split(r.stdout, "\n")
		for i := range 30 {
			if (60+i)%7 != 0 && got[i] != want[i] {
				t.Errorf("seed %d: row %d without holes: %s, want %s", seed, i, got[i], want[i])
			}
		}
		text := fmt.Sprintf("%s 4", holes[0])
		const noted = " missing cells filled (--strict refuses them): "
		if len(got) != 31 || !strings.Contains(r.stderr, noted) || !strings.Contains(r.stderr, text) {
			t.Errorf("seed %d: %d rows, %q", seed, len(got), r.stderr)
		}
		o := object(t, "predict", model, file)
		if n := o["filled"].(map[string]any)[holes[0]]; n != 4.0 {
			t.Errorf("seed %d: %v cells of %s filled", seed, n, holes[0])
		}
		r = command(t, "", "predict", "--strict", model, file)
		if r.code != session.Failed || !strings.Contains(r.stderr, "passengers.csv:") {
			t.Errorf("seed %d: strict: status %d, %q", seed, r.code, r.stderr)
		}
	}
}

// TestMissingLabels predicts every row of files that lack some labels, or all, and compares those that have one.
func TestMissingLabels(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	for _, label := range []string{"survived", "fare"} {
		method := map[string]string{"survived": "svc", "fare": "svr"}[label]
		must(t, "train", "-q", "--force", "-m", method, "--label-column", label, "-o", model, passengers(t, 1, 0, 60, false))
		file := passengers(t, 1, 60, 90, false, label)
		whole := must(t, "predict", model, passengers(t, 1, 60, 90, false)).stdout
		r := must(t, "predict", model, file)
		const note = "passengers.csv: 4 rows without a label, predicted but not compared\n"
		if r.stdout != whole || !strings.Contains(r.stderr, note) {
			t.Errorf("%s: %d bytes, want %d; %s", label, len(r.stdout), len(whole), r.stderr)
		}
		o := object(t, "predict", model, file)
		if n := o["metrics"].(map[string]any)["samples"]; o["n"] != 30.0 || n != 26.0 {
			t.Errorf("%s: %v of %v samples compared", label, n, o["n"])
		}
		if r = must(t, "predict", "--drop-unlabelled", model, file); strings.Count(r.stdout, "\n") != 26 {
			t.Errorf("%s left out: %q", label, r.stderr)
		}
		if r = command(t, "", "predict", "--strict", model, file); r.code != session.Failed {
			t.Errorf("%s, strict: status %d", label, r.code)
		}
		all, err := os.ReadFile(passengers(t, 1, 60, 90, false))
		if err != nil {
			t.Fatal(err)
		}
		empty := regexp.MustCompile(`(?m)^(\d+),[01],`).ReplaceAllString(string(all), "$1,,")
		if r = command(t, empty, "predict", model, "-"); label == "survived" &&
			(r.code != session.Done || r.stdout != whole || strings.Contains(r.stderr, "error")) {
			t.Errorf("no label at all: status %d, %s", r.code, r.stderr)
		}
		must(t, "train", "-q", "--force", "-m", method, "--label-column", label, "--test", file, "-o", model,
			passengers(t, 1, 0, 60, false))
	}
	metals := write(t, "na.csv", "a,y\n1,NA\n2,K\n1.2,NA\n2.2,K\n")
	must(t, "train", "-q", "--force", "-m", "svc", "--text-labels", "-o", model, metals)
	r := must(t, "predict", model, write(t, "later.csv", "a,y\n1,NA\n2,\n"))
	if r.stdout != "NA\nK\n" || !strings.Contains(r.stderr, "(0 of 1;") {
		t.Errorf("a class named NA: %q, %s", r.stdout, r.stderr)
	}
	for kind, labels := range map[string][]any{"{u,v}": {"u", "v"}, "numeric": {1.5, 2.25}} {
		head := "@relation r\n@attribute a numeric\n@attribute k " + kind + "\n@data\n"
		rows := fmt.Sprintf("1,%v\n2,%v\n1.1,%[1]v\n2.1,%[2]v\n", labels...)
		must(t, "train", "-q", "--force", "-o", model, write(t, "a.arff", head+rows))
		r := must(t, "predict", model, write(t, "later.arff", head+rows+"2,?\n"))
		if !strings.Contains(r.stderr, "later.arff: 1 row without a label, predicted but not compared") ||
			strings.Count(r.stdout, "\n") != 5 {
			t.Errorf("ARFF, %s: %q, %s", kind, r.stdout, r.stderr)
		}
	}
}

// TestDifferentLabels refuses labels of which no two samples have the same, and dates.
func TestDifferentLabels(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "%d,2024-01-%02d\n", i%7, i+1)
	}
	for _, name := range []string{"train", "fit"} {
		r := command(t, "", name, write(t, "dates.csv", "a,day\n"+text.String()))
		if r.code != session.Failed || !strings.Contains(r.stderr, "dates.csv: found 30 different labels in 30 samples") {
			t.Errorf("%s: status %d, %s", name, r.code, r.stderr)
		}
		twice := "a,day\n" + text.String() + text.String()
		r = command(t, "", name, write(t, "dates.csv", twice))
		if r.code != session.Failed || !strings.Contains(r.stderr, `found 30 dates as labels, such as "2024-01-01", want`) {
			t.Errorf("%s: status %d, %s", name, r.code, r.stderr)
		}
	}
}

package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/model"
)

// teacherChild says how a process of this test binary answers as a teacher, and behind a comma a file that counts its
// starts.
const teacherChild = "SPARSEKM_TEST_TEACHER"

// TestTeacherChild is the program of --ask.
func TestTeacherChild(t *testing.T) {
	how, count, _ := strings.Cut(os.Getenv(teacherChild), ",")
	if how == "" {
		t.Skip("no teacher")
	}
	starts, _ := os.ReadFile(count)
	if count != "" {
		_ = os.WriteFile(count, append(starts, '.'), 0o600)
	}
	later := len(starts) > 0 // the first question is about the samples themselves
	in, out := csv.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for i := 0; ; i++ {
		cells, err := in.Read()
		if err != nil {
			break
		}
		if how == "seen" && later {
			fmt.Fprintln(os.Stderr, "cells "+strings.Join(cells, "|"))
		}
		x, err := strconv.ParseFloat(cells[0], 64)
		if err != nil { // names
			fmt.Fprintln(out, "probability")
			continue
		}
		answer := fmt.Sprint(1 / (1 + math.Exp(-8*(x-0.2))))
		if later || how == "garbage" {
			switch {
			case how == "nan" && i == 7:
				answer = "NaN"
			case how == "two" && i == 3:
				answer += " 0.5"
			case how == "garbage" && i > 1:
				answer = "Traceback (most recent call last)"
			case how == "exits" && i == 5, how == "killed" && i == 5:
				_ = out.Flush()
				fmt.Fprintln(os.Stderr, "out of luck")
				if how == "killed" {
					p, _ := os.FindProcess(os.Getpid())
					_ = p.Kill()
				}
				os.Exit(4)
			case how == "stops" && i == 5:
				_ = out.Flush()
				os.Exit(0)
			case how == "slow" && i == 5:
				_ = out.Flush()
				time.Sleep(time.Minute)
			case how == "more" && i == 5:
				answer += "\n0.5"
			case how == "probability" && i == 5:
				answer = "1.5"
			}
		}
		fmt.Fprintln(out, answer)
	}
	_ = out.Flush()
	if how == "seen" && later {
		os.Exit(3)
	}
	os.Exit(0)
}

// asking is a command of the shell that answers so.
func asking(t *testing.T, how string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	return fmt.Sprintf("%s='%s,%s' '%s' -test.run='^TestTeacherChild$'", teacherChild, how,
		filepath.Join(t.TempDir(), "starts"), os.Args[0])
}

// line is samples of two features, with labels by the first one.
func line(n int) string {
	rng := rand.New(rand.NewPCG(1, 0))
	var b strings.Builder
	b.WriteString("x,z,colour,y\n")
	for range n {
		x := rng.NormFloat64()
		label := "no"
		if x > 0.2 {
			label = "yes"
		}
		fmt.Fprintf(&b, "%v,%v,%s,%s\n", x, rng.Float64(), []string{"red", "green", "blue"}[rng.IntN(3)], label)
	}
	return b.String()
}

// TestDistillAsks: a program answers on a pipe, and the student has its classes.
func TestDistillAsks(t *testing.T) {
	t.Parallel()
	data, student := write(t, "data.csv", line(200)), filepath.Join(t.TempDir(), "student.skm")
	o := object(t, "distill", data, "--ask", asking(t, "well"), "--max-sv", "3", "--rounds", "1", "--out", student)
	held, _ := o["held_out"].(map[string]any)
	agreement, _ := held["agreement"].(map[string]any)
	if a, ok := agreement["value"].(float64); !ok || !(a >= 0.95) || o["asked"] != 500.0 || !(o["units"].(float64) <= 3) {
		t.Errorf("agreement %v; %v", agreement, o)
	}
	clf, err := model.Load(student)
	if err != nil || clf.Label(1) != "yes" || clf.Calibrated() != nil {
		t.Fatalf("%v, %v", clf, err)
	}
	r := must(t, "distill", data, "--ask", asking(t, "well"), "--max-sv", "3", "--rounds", "0")
	for _, want := range []string{"teacher's class", "ns an answer", "bytes of tables in C", "error "} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, r.stdout)
		}
	}
}

// TestDistillSends: the program sees the columns of the table under their names, numbers within the data's range, and
// words as they are.
func TestDistillSends(t *testing.T) {
	t.Parallel()
	r := command(t, "", "distill", write(t, "data.csv", line(200)), "--ask", asking(t, "seen"), "--max-sv", "2", "-q")
	if r.code != session.Limit {
		t.Fatalf("ends with %d: %s", r.code, r.stderr)
	}
	last := r.stderr[strings.Index(r.stderr, "cells ")+6:]
	cells := strings.Split(strings.Split(strings.TrimSpace(last), ":")[0], "|")
	x, err := strconv.ParseFloat(cells[0], 64)
	if len(cells) != 3 || err != nil || !(math.Abs(x) < 4) || !strings.Contains("red green blue", cells[2]) {
		t.Errorf("the program sees %q", cells)
	}
}

// TestDistillTeacherFails: whatever ends the answers, the error names it, and the best student so far is written.
func TestDistillTeacherFails(t *testing.T) {
	t.Parallel()
	data := write(t, "data.csv", line(200))
	for how, want := range map[string]string{
		"nan":         `answer 7 of 500: found "NaN", want a finite number`,
		"two":         "answer 3 of 500: found 2 numbers, want 1, as many as before",
		"exits":       "ended with exit status 4 after 4 of 500 answers; its last words: out of luck",
		"killed":      "after 4 of 500 answers; its last words: ",
		"stops":       "ended after 4 of 500 answers, want a line for each sample",
		"slow":        "found no line for 2s after 4 of 500 answers (--patience waits longer)",
		"more":        "found another answer, want 500, one for each sample",
		"probability": "found the probability 1.5 of the teacher for sample 5, want a number from 0 to 1",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			student := filepath.Join(t.TempDir(), "student.skm")
			args := []string{"distill", data, "--ask", asking(t, how), "--max-sv", "2", "--out", student, "--rounds", "1"}
			if how == "slow" {
				args = append(args, "--patience", "2s")
			}
			r := command(t, "", args...)
			if r.code != session.Limit || !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "answers before") {
				t.Errorf("ends with %d: %s; want %q", r.code, r.stderr, want)
			}
			if _, err := model.Load(student); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDistillNoAnswer: without answers for the samples themselves there is no student.
func TestDistillNoAnswer(t *testing.T) {
	t.Parallel()
	data, student := write(t, "data.csv", line(200)), filepath.Join(t.TempDir(), "student.skm")
	for command1, want := range map[string]string{
		asking(t, "garbage"):          `found "Traceback", want a finite number`,
		"/nowhere/teacher":            "ended with exit status 127 after 0 of 200 answers",
		"cat > /dev/null":             "ended after 0 of 200 answers",
		"while true; do echo; done":   "found no line for 1s after 0 of 200",
		"head -c 3000000 /dev/zero":   "found a line of more than 1048576 bytes",
		"yes 0.5":                     "found another answer, want 200",
		"cat > /dev/null; echo 1e999": `found "1e999", want a finite number`,
	} {
		r := command(t, "", "distill", data, "--ask", command1, "--max-sv", "2", "--out", student, "--patience", "1s")
		if strings.Contains(want, "Traceback") {
			r = command(t, "", "distill", data, "--ask", command1, "--max-sv", "2", "--out", student)
		}
		if r.code != session.Failed || !strings.Contains(r.stderr, want) {
			t.Errorf("%s ends with %d: %s; want %q", command1, r.code, r.stderr, want)
		}
		if _, err := os.Stat(student); err == nil {
			t.Errorf("%s: there is a student", command1)
		}
	}
}

// TestDistillInterrupt: an interrupt while the teacher thinks leaves the best student so far, and ends what the shell
// has started.
func TestDistillInterrupt(t *testing.T) {
	t.Parallel()
	data, student := write(t, "data.csv", line(200)), filepath.Join(t.TempDir(), "student.skm")
	starts := filepath.Join(t.TempDir(), "starts")
	ask := strings.Replace(asking(t, "slow"), ",", ","+starts+"#", 1)
	ask = ask[:strings.Index(ask, "#")] + ask[strings.Index(ask, "' '"):]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for range 600 {
			if text, _ := os.ReadFile(starts); len(text) > 1 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond)
		cancel()
	}()
	begin := time.Now()
	r := runIn(ctx, "", "distill", data, "--ask", ask, "--max-sv", "2", "--out", student)
	if r.code != session.Limit || !strings.Contains(r.stderr, "cancelled: the student is the best so far") {
		t.Errorf("ends with %d: %s", r.code, r.stderr)
	}
	if time.Since(begin) > 50*time.Second {
		t.Error("it waited for the teacher")
	}
	if _, err := model.Load(student); err != nil {
		t.Error(err)
	}
	done, stop := context.WithCancel(t.Context())
	stop()
	if r := runIn(done, "", "distill", data, "--ask", asking(t, "well"), "--out", student); r.code != session.Failed {
		t.Errorf("interrupted before ends with %d: %s", r.code, r.stderr)
	}
}

// TestDistillTime: the time limit leaves the best student so far.
func TestDistillTime(t *testing.T) {
	t.Parallel()
	student := filepath.Join(t.TempDir(), "student.skm")
	r := command(t, "", "distill", write(t, "data.csv", line(300)), "--ask", asking(t, "slow"), "--max-sv", "2",
		"--time-limit", "8s", "--out", student)
	if r.code != session.Limit || !strings.Contains(r.stderr, "time limit: the student is the best so far") {
		t.Errorf("ends with %d: %s", r.code, r.stderr)
	}
	if _, err := model.Load(student); err != nil {
		t.Error(err)
	}
}

// TestDistillNumbers: a file of numbers is one, several or the wrong ones.
func TestDistillNumbers(t *testing.T) {
	t.Parallel()
	var data, p, f, two, values strings.Builder
	rng := rand.New(rand.NewPCG(2, 0))
	for range 150 {
		x := rng.Float64()
		label := 1
		if x > 0.5 {
			label = 2
		}
		s := 1 / (1 + math.Exp(-10*(x-0.5)))
		fmt.Fprintf(&data, "%d 1:%v 2:%v\n", label, x, rng.Float64())
		fmt.Fprintf(&p, "%v\n", s)
		fmt.Fprintf(&f, "%v\n", 3*(x-0.5))
		fmt.Fprintf(&two, "%v,%v\n", 1-s, s)
		fmt.Fprintf(&values, "%v\n", 100*x)
	}
	set := write(t, "data.libsvm", data.String())
	for kind, text := range map[string]string{"probability": "p\n" + p.String(), "score": f.String(),
		"probability 2": two.String(), "value": values.String()} {
		args := []string{"distill", write(t, "numbers", text), set, "--max-sv", "3"}
		if kind == "value" {
			args = append(args, "--task", "regress", "--label-weight", "0")
		}
		o := object(t, args...)
		held, _ := o["held_out"].(map[string]any)
		agreement, _ := held["agreement"].(map[string]any)
		if a, ok := agreement["value"].(float64); !ok || !(a >= 0.95) || o["kind"] != strings.Fields(kind)[0] {
			t.Errorf("%s: kind %v, agreement %v", kind, o["kind"], agreement)
		}
	}
	for want, text := range map[string]string{
		"found 149 predictions, want 150":    p.String()[strings.Index(p.String(), "\n")+1:],
		"found another line, want 150":       p.String() + "0.5\n",
		`found "x", want a number`:           "0.5\nx\n",
		"found 3 numbers a sample for 2":     strings.Repeat("0.2,0.3,0.5\n", 150),
		"a student of one unit takes":        p.String(),
		"--patience: only a program is":      p.String() + " ",
		"--label-weight: found 2, want a nu": p.String() + "\n",
	} {
		args := []string{"distill", write(t, "numbers", text), set, "--max-sv", "3"}
		switch {
		case strings.Contains(want, "one unit"):
			args = append(args, "--max-bytes", "9B")
		case strings.Contains(want, "--patience"):
			args = append(args, "--patience", "1s")
		case strings.Contains(want, "--label-weight"):
			args = append(args, "--label-weight", "2")
		}
		if r := command(t, "", args...); r.code == session.Done || !strings.Contains(r.stderr, want) {
			t.Errorf("ends with %d: %s; want %q", r.code, r.stderr, want)
		}
	}
}

// TestDistillModel: models teach, those of pairs by their classes, and are asked again.
func TestDistillModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	svc, iris := filepath.Join(dir, "svc.skm"), filepath.Join(dir, "iris.skm")
	flowers := strings.Replace(ripley(t), "ripley.train", "iris", 1)
	must(t, "train", "-m", "svc", "--out", svc, ripley(t))
	must(t, "train", "-m", "svc", "--multiclass", "ovo", "--out", iris, flowers)
	for _, c := range [][]string{{svc, ripley(t)}, {iris, flowers}} {
		o := object(t, "distill", c[0], c[1], "--max-sv", "6", "--rounds", "1")
		held, _ := o["held_out"].(map[string]any)
		agreement, _ := held["agreement"].(map[string]any)
		taught, _ := o["teacher"].(map[string]any)
		if a, ok := agreement["value"].(float64); !ok || !(a >= 0.93) || o["asked"] == 0.0 || !(taught["ns"].(float64) > 0) {
			t.Errorf("%s: asked %v, agreement %v, teacher %v", c[0], o["asked"], agreement, taught)
		}
	}
	one := filepath.Join(dir, "one.skm")
	must(t, "train", "-m", "one-class", "--out", one, ripley(t))
	for want, args := range map[string][]string{
		"want classes or values":            {one, ripley(t)},
		"answers by itself":                 {svc, ripley(t), "--ask", "cat"},
		"says itself what its numbers are":  {svc, ripley(t), "--kind", "score"},
		"name the teacher and the samples":  {svc},
		"found 4 features, want 2, as many": {svc, flowers},
	} {
		if r := command(t, "", append([]string{"distill"}, args...)...); r.code == session.Done ||
			!strings.Contains(r.stderr, want) {
			t.Errorf("ends with %d: %s; want %q", r.code, r.stderr, want)
		}
	}
}

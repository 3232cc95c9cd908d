package export_test

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/export"
)

// Go files are formatted, pass go vet and say what the classifier says.
func TestGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	cases := slices.Concat(made(t), trained(t), classifiers(t))
	dir := t.TempDir()
	var imports, table strings.Builder
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, tc := range cases {
		var b bytes.Buffer
		name := fmt.Sprintf("m%d", i)
		if err := export.Write(&b, tc.c, "go", export.Options{Name: name}); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if pretty, err := format.Source(b.Bytes()); err != nil || !bytes.Equal(pretty, b.Bytes()) {
			t.Errorf("%s: gofmt writes another file, error %v:\n%s", tc.name, err, &b)
		}
		write(filepath.Join(name, name+".go"), b.String())
		fmt.Fprintf(&imports, "\t\"programs/%s\"\n", name)
		table.WriteString(goCase(tc, name))
	}
	write("go.mod", "module programs\n\ngo 1.24\n")
	write("main.go", `package main

import (
	"bufio"
	"fmt"
	"os"

`+imports.String()+`)

var in, out = bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)

func read(x []float64) {
	for k := range x {
		if _, err := fmt.Fscan(in, &x[k]); err != nil {
			panic(err)
		}
	}
}

func numbers(in []bool, n int) (v []float64) {
	for _, is := range in {
		if v = append(v, 0); is {
			v[len(v)-1] = 1
			n--
		}
	}
	if n != 0 {
		panic("the size of a set")
	}
	return v
}

func show(lists ...[]float64) {
	for _, l := range lists {
		for _, v := range l {
			fmt.Fprintf(out, "%.17g ", v)
		}
	}
	fmt.Fprintln(out)
}

var models = []func(){
`+table.String()+`}

func main() {
	defer out.Flush()
	for {
		var i int
		if _, err := fmt.Fscan(in, &i); err != nil {
			return
		}
		models[i]()
	}
}
`)
	program := filepath.Join(dir, "host")
	for _, args := range [][]string{{"vet", "./..."}, {"build", "-o", program, "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, text)
		}
	}
	compareHost(t, exec.Command(program), cases, 1e-13)
}

// goCase is a function that asks a model for all that it says of one row.
func goCase(tc *testCase, name string) string {
	if tc.values() {
		ends := ""
		if tc.sets != nil {
			ends = "low, high := " + name + ".Interval(&x); v = append(v, low, high)"
		}
		return fmt.Sprintf(`	func() {
		var x [%[1]s.Features]float64
		var f [%[1]s.Models]float64
		read(x[:])
		%[1]s.Decide(&f, &x)
		if %[1]s.Predict(&x) != f[0] {
			panic("values")
		}
		v := []float64{0, 0}
		%[2]s
		show(f[:], v)
	},
`, name, ends)
	}
	more := ""
	if tc.probability != nil {
		more = name + ".Probabilities(&p, &x); v = append(v, p[:]...)"
	}
	if tc.sets != nil {
		more += "\n\t\tvar in [" + name + ".Classes]bool\n\t\tn := " + name + ".Set(&in, &x)\n" +
			"\t\tv = append(v, numbers(in[:], n)...)"
	}
	return fmt.Sprintf(`	func() {
		var x [%[1]s.Features]float64
		var f [%[1]s.Models]float64
		var p [%[1]s.Classes]float64
		read(x[:])
		%[1]s.Decide(&f, &x)
		v := []float64{float64(%[1]s.Predict(&x)), float64(len(%[1]s.Labels[%[1]s.Predict(&x)]))}
		_ = p
		%[2]s
		show(f[:], v)
	},
`, name, more)
}

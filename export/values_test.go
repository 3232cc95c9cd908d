package export_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/model"
)

// valuedColumns are five features: a number, two of one column's values, one of values that are all 0, one of others.
func valuedColumns() dataset.Columns {
	return dataset.Columns{
		{Name: "size"},
		{Name: "city", Role: dataset.RoleCategory, Categories: []string{"Bonn", "Oslo */", "Rome"},
			Values: []float64{0.5, 0, -2, 1, -1, 0.25}},
		{Name: "noise", Role: dataset.RoleCategory, Categories: []string{"x", "y"}, Values: []float64{0, 0}},
		{Name: "colour", Role: dataset.RoleCategory, Categories: []string{"blue", "red"}, Values: []float64{3, -0.125}},
	}
}

// wantValues are the values of features and categories, the numbers just outside among them.
func wantValues() (calls [][2]int, want []float64) {
	columns := valuedColumns()
	columns.EachValued(func(c *dataset.Column, feature, part int) {
		for k := -1; k <= len(c.Categories); k++ {
			value := 0.0
			if k >= 0 && k < len(c.Categories) {
				value = c.Values[part*len(c.Categories)+k]
			}
			calls = append(calls, [2]int{feature, k})
			want = append(want, value)
		}
	})
	calls = append(calls, [2]int{0, 0}, [2]int{99, 1}) // not of a column with values
	return calls, append(want, 0, 0)
}

func valuedModel(t *testing.T) *model.Classifier {
	p := parts(dataset.NewRand(8), model.Binary, gram.RBF(0.5), 3, 5, 1)
	p.Columns = valuedColumns()
	return build(t, p)
}

// The function of values in C and Go gives the model's, 0 for what is no category, and the comment lists the words.
func TestValues(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	gcc, dir := testutil.Program(t, "gcc"), t.TempDir()
	calls, want := wantValues()
	var c, g strings.Builder
	for _, at := range calls {
		fmt.Fprintf(&c, "printf(\"%%g\\n\", (double)m_value(%d, %d));\n", at[0], at[1])
		fmt.Fprintf(&g, "println2(Value(%d, %d))\n", at[0], at[1])
	}
	write := func(target, name, before, after string, o export.Options) string {
		var b bytes.Buffer
		if err := export.Write(&b, valuedModel(t), target, o); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "1 city.1, the value of 0 Bonn, 1 Oslo _/, 2 Rome") {
			t.Errorf("the comment lists no categories:\n%s", b.String())
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(before+b.String()+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	check := func(program *exec.Cmd) {
		out, err := program.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", program, err, out)
		}
		for i, line := range strings.Fields(string(out)) {
			if line != fmt.Sprintf("%g", want[i]) {
				t.Errorf("value of %v is %s, want %g", calls[i], line, want[i])
			}
		}
	}
	for _, float := range []bool{false, true} {
		write("c", "m.h", "", "", export.Options{Name: "m", Float: float})
		source, program := filepath.Join(dir, "main.c"), filepath.Join(dir, "m")
		text := "#include <stdio.h>\n#include \"m.h\"\nint main(void)\n{\n" + c.String() + "return 0;\n}\n"
		if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(gcc, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wsign-conversion",
			"-Werror", "-Wno-unused-function", "-o", program, source, "-lm").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		check(exec.Command(program))
	}
	show := "\nfunc println2(v float64) { os.Stdout.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + \"\\n\") }\n"
	source := write("go", "main.go", "", show+"func main() {\n"+g.String()+"}\n", export.Options{Name: "main"})
	text, err := os.ReadFile(source)
	if err == nil {
		imports := []byte("import (\n\"math\"\n\"os\"\n\"strconv\"\n)")
		err = os.WriteFile(source, bytes.Replace(text, []byte(`import "math"`), imports, 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	check(exec.Command("go", "run", source))
}

// An ONNX model has the values as metadata.
func TestValuesOfONNX(t *testing.T) {
	var b bytes.Buffer
	if err := export.Write(&b, valuedModel(t), "onnx", export.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"values of feature 2", `{"Bonn":1,"Oslo */":-1,"Rome":0.25}`, `{"blue":3,"red":-0.125}`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in the file", want)
		}
	}
}

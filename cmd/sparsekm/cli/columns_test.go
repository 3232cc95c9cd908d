package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// customers writes n rows of customers as CSV: age about 50, income about 5e4, some cells missing, a city.
// The label is whether income is large for the age.
func customers(t *testing.T, n int, columns ...string) string {
	rnd := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString(strings.Join(columns, ",") + "\n")
	for i := range n {
		age, income := 50+10*rnd.NormFloat64(), 5e4+1e4*rnd.NormFloat64()
		cells := map[string]string{"id": fmt.Sprint("u", i), "age": fmt.Sprintf("%.1f", age), "income": fmt.Sprintf("%.0f", income),
			"city": []string{"Rome", "Bonn", "Oslo"}[i%3], "churn": "no", "empty": ""}
		if income/1e4-5 > age/10-5 {
			cells["churn"] = "yes"
		}
		if i%17 == 0 {
			cells["age"] = ""
		}
		for k, c := range columns {
			if k > 0 {
				b.WriteByte(',')
			}
			b.WriteString(cells[c])
		}
		b.WriteByte('\n')
	}
	return write(t, "table.csv", b.String())
}

// TestColumnsByName trains on a table as people have it, and predicts from the same rows in other orders.
func TestColumnsByName(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "--method", "svc", "--out", model, "--drop", "id", "--categorical", "city", "--missing", "median",
		customers(t, 300, "id", "age", "city", "income", "churn"))
	want := must(t, "predict", "--decisions", model, customers(t, 300, "id", "age", "city", "income", "churn"))
	if !strings.Contains(want.stderr, "18 missing cells filled (--strict refuses them): age 18\nerror ") {
		t.Errorf("no error with labels: %q", want.stderr)
	}
	for _, columns := range [][]string{
		{"churn", "income", "id", "city", "age"}, {"age", "city", "income", "churn"}, {"income", "city", "age"},
	} {
		got := must(t, "predict", "--decisions", model, customers(t, 300, columns...))
		if got.stdout != want.stdout {
			t.Errorf("%v: other predictions", columns)
		}
		if labels := slices.Contains(columns, "churn"); labels != strings.Contains(got.stderr, "\nerror ") {
			t.Errorf("%v: %q", columns, got.stderr)
		}
	}
	json := filepath.Join(t.TempDir(), "m.json")
	must(t, "convert", model, "--to", "json", "--out", json)
	got := must(t, "predict", "--decisions", json, customers(t, 300, "city", "income", "age"))
	if got.stdout != want.stdout {
		t.Error("JSON: other predictions")
	}
	text := must(t, "info", model).stdout
	if !strings.Contains(text, "age, city (3 categories), income; missing cells are filled") {
		t.Errorf("info says\n%s", text)
	}
	for want, columns := range map[string][]string{
		`no column "age", "city"`:    {"income"},
		`the unknown column "empty"`: {"age", "income", "city", "empty"},
	} {
		if r := command(t, "", "predict", model, customers(t, 3, columns...)); r.code != session.Failed ||
			!strings.Contains(r.stderr, want) || r.stdout != "" {
			t.Errorf("%v: status %d, %q", columns, r.code, r.stderr)
		}
	}
	must(t, "predict", "--drop", "empty", model, customers(t, 3, "age", "income", "city", "empty"))
	r := command(t, "age;income;city\n50,5;50000,0;Bonn\n", "predict", "--decimal", ",", model, "--format", "csv", "-")
	if r.code != session.Done || strings.Count(r.stdout, "\n") != 1 {
		t.Errorf("decimal comma: status %d, %q", r.code, r.stderr)
	}
	reduced := filepath.Join(t.TempDir(), "r.skm")
	must(t, "reduce", model, "--max-sv", "10", "--out", reduced)
	must(t, "predict", reduced, customers(t, 30, "city", "income", "age"))
}

func TestBadColumns(t *testing.T) {
	whole := customers(t, 60, "id", "age", "city", "income", "churn")
	for _, tt := range []struct {
		data   string
		args   []string
		status int
		want   string
	}{
		{whole, []string{"--columns", "strict"}, session.Failed, `table.csv:2:1: found "u0" in column "id", want a finite number (--categorical id if it is text`},
		{whole, []string{"--columns", "strict", "--drop", "id,city"}, session.Failed, `:2:4: found nothing in column "age", want a finite number (train has --missing`},
		{whole, []string{"--drop", "id,town"}, session.Failed, `no column named "town"`},
		{whole, []string{"--missing", "guess"}, session.Usage, "--missing"},
		{whole, []string{"--decimal", ";"}, session.Usage, `--decimal: found ";", want . or ,`},
		{whole, []string{"--header", "maybe"}, session.Usage, "--header"},
		{whole, []string{"--missing", "error"}, session.Failed, `:2:4: found nothing in column "age", want a finite number (4 of them)` + "\nsparsekm: try: --missing mark\n"},
		{ripley(t), []string{"--columns", "strict"}, session.Usage, "--columns: "},
		{ripley(t), []string{"--drop-unlabelled"}, session.Usage, "--drop-unlabelled: "},
		{ripley(t), []string{"--drop", "id"}, session.Usage, "--drop: "},
		{ripley(t), []string{"--missing", "mean"}, session.Usage, "--missing: "},
		{ripley(t), []string{"--label-column", "2"}, session.Usage, "--label-column: "},
		{write(t, "d.csv", "age,2024,y\n1,2,a\n3,4,b\n"), nil, session.Failed, "say --header yes or --header no"},
	} {
		out := filepath.Join(t.TempDir(), "m.skm")
		refused(t, tt.status, tt.want, out, append([]string{"train", "--method", "svc", "--out", out, tt.data}, tt.args...)...)
	}
}

// TestNoLabels: samples without labels have no error to report, and decide nothing.
func TestNoLabels(t *testing.T) {
	train, test := customers(t, 60, "income", "churn"), customers(t, 60, "income")
	out := filepath.Join(t.TempDir(), "m.skm")
	refused(t, session.Failed, "found no column of labels, want that of", out, "train", "--method", "svc", "--out", out,
		"--test", test, train)
	refused(t, session.Failed, "found no column of labels, want that of", out, "train", "--method", "lssvm-prune",
		"--out", out, "--val", test, train)
}

// TestNumericHeader reads the file of TRIAL.md whose header passed for a sample of class "y".
func TestNumericHeader(t *testing.T) {
	data := write(t, "d.csv", "2023,2024,y\n1,2,0\n3,4,1\n5,2,0\n7,4,1\n")
	if o := object(t, "train", "--method", "svc", data); o["n"] != 4.0 || len(o["classes"].([]any)) != 2 {
		t.Errorf("%v samples of classes %v", o["n"], o["classes"])
	}
}

// TestScaleAuto: features of columns are scaled, and the scaling is kept; those of LIBSVM text where they are not
// alike, which is said. What was asked for is done.
func TestScaleAuto(t *testing.T) {
	data, model := customers(t, 300, "age", "income", "churn"), filepath.Join(t.TempDir(), "m.skm")
	r := must(t, "train", "--method", "svc", "--missing", "drop", "--out", model, data)
	if !strings.Contains(r.stdout, "scaling  zscore") ||
		!strings.Contains(r.stderr, "18 rows with missing cells are left out") {
		t.Errorf("said %q\n%s", r.stderr, r.stdout)
	}
	r = must(t, "train", "--method", "svc", filepath.Join("..", "..", "..", "testdata", "diabetis.libsvm"))
	if !strings.Contains(r.stderr, "spreads differ by a factor of 348: scaled by zscore (--scale none") {
		t.Errorf("said %q", r.stderr)
	}
	rare := "x,rare,y\n" + strings.Repeat("1,0,a\n2,0,b\n3,0,a\n4,0,b\n5,1,a\n", 5)
	if o := object(t, "train", "--method", "svc", write(t, "rare.csv", rare)); o["scale"] != "floored" {
		t.Errorf("a rare value: scaled by %v", o["scale"])
	}
	if o := object(t, "info", model); o["scale"] != "zscore" {
		t.Errorf("the model has scaling %v", o["scale"])
	}
	auto := object(t, "train", "--method", "svc", "--missing", "drop", data)
	none := object(t, "train", "--method", "svc", "--missing", "drop", "--scale", "none", data)
	better := auto["train_error"].(float64) < none["train_error"].(float64)
	if auto["scale"] != "zscore" || none["scale"] != "none" || !better {
		t.Errorf("scaled %v: error %v, unscaled %v: %v", auto["scale"], auto["train_error"], none["scale"],
			none["train_error"])
	}
	if o := object(t, "train", "--method", "svc", ripley(t)); o["scale"] != "none" || o["advice"] != nil {
		t.Errorf("Ripley's samples are scaled by %v, advice %v", o["scale"], o["advice"])
	}
	for _, kernel := range [][]string{{"mahalanobis", "--method", "lssvm-lda"}} {
		args := append([]string{"train", "--missing", "drop", data, "--kernel"}, kernel...)
		if o := object(t, args...); o["scale"] != "none" {
			t.Errorf("a kernel that weighs features itself: scaled by %v", o["scale"])
		}
	}
}

// TestAdvice trains models that learn nothing and wants to hear what to try.
func TestAdvice(t *testing.T) {
	data := customers(t, 300, "age", "income", "churn")
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"--scale", "none", "--gamma", "1e-12"}, []string{"--scale floored, a larger --c, another --gamma"}},
		{[]string{"--c", "1e-9"}, []string{"a larger --c, another --gamma"}},
		{[]string{"--method", "skm", "--c", "1e9"}, []string{"a smaller --c, another --gamma"}},
	} {
		args := append([]string{"train", "--method", "svc", "--missing", "drop", data}, tt.args...)
		text, advice := must(t, args...).stderr, object(t, args...)["advice"]
		for _, want := range tt.want {
			if !strings.Contains(text, want) || !strings.Contains(fmt.Sprint(advice), want) ||
				!strings.Contains(lastLine(text), "no better than its largest class alone") {
				t.Errorf("%v: advice %v in\n%s", tt.args, advice, text)
			}
		}
	}
}

// peopleTable has a column of each kind: 60 people who buy by age, city and sex, some of unknown income.
func peopleTable(t *testing.T) string {
	rnd := rand.New(rand.NewPCG(7, 8))
	var b strings.Builder
	b.WriteString("id,age,city,income,sex,since,buys\n")
	for i := range 60 {
		age, income, buys := 20+rnd.IntN(50), fmt.Sprint(30000+rnd.IntN(9999)), "no"
		if age > 45 {
			buys = "yes"
			if i%2 == 0 {
				income = "NA"
			}
		}
		fmt.Fprintf(&b, "c%d,%d,%s,%s,%s,2024-%02d-%02d,%s\n", i, age, []string{"Oslo", "Rome", "Bonn"}[rnd.IntN(3)], income,
			[]string{"f", "m"}[rnd.IntN(2)], 1+rnd.IntN(12), 1+rnd.IntN(28), buys)
	}
	return write(t, "people.csv", b.String())
}

// TestColumnsFound: every command that trains says what it found, once, and only if it is not quiet; the models of all
// formats, and what is made of them, know it.
func TestColumnsFound(t *testing.T) {
	data, dir := peopleTable(t), t.TempDir()
	const line = "columns: 2 numbers, 1 category (city 3), 1 yes or no (sex), 1 date (since by days+month+weekday), " +
		"1 with missing cells (income marked): filled and marked; left out: id (all different)"
	model := filepath.Join(dir, "m.skm")
	for _, args := range [][]string{
		{"train", "-m", "svc", "-o", model, data}, {"cv", "-m", "svc", "--folds", "2", data},
		{"tune", "-m", "svc", "--folds", "2", "--grid", "c=1", data}, {"fit", "--time-limit", "1s", data},
		{"compare", "-m", "svc", "--folds", "2", "--inner", "2", "--grid", "c=1", "--ledger", filepath.Join(dir, "l.jsonl"), data},
	} {
		r := command(t, "", args...)
		if r.code != session.Done && args[0] != "fit" || strings.Count(r.stderr, "columns: ") != 1 ||
			!strings.Contains(r.stderr, line) {
			t.Errorf("%s: status %d, said %q", args[0], r.code, r.stderr)
		}
	}
	if r := must(t, "train", "--quiet", "-m", "svc", "-o", model, "--force", data); r.stderr != "" || r.stdout != "" {
		t.Errorf("not quiet: %q", r.stderr)
	}
	r := must(t, "train", "-m", "svc", customers(t, 60, "age", "income", "churn"), "--missing=drop")
	if strings.Contains(r.stderr, "columns:") {
		t.Errorf("numbers: %q", r.stderr)
	}
	found := object(t, "train", "-m", "svc", "--holdout", "20%", data)["columns"].(map[string]any)
	if found["numbers"] != 2.0 || fmt.Sprint(found["missing"]) != "[map[cells:15 column:income marked:true]]" {
		t.Errorf("found %v", found)
	}
	features := []any{"age", "city=Bonn", "city=Oslo", "city=Rome", "income", "income missing", "sex=m", "since days",
		"since month", "since weekday"}
	if got := object(t, "info", model)["features"].([]any); !slices.Equal(got, features) {
		t.Errorf("features %v", got)
	}
	text := must(t, "info", model).stdout
	if !strings.Contains(text, "sex (f or m), since (days, month, weekday); missing cells are filled, and marked\n") {
		t.Errorf("info says\n%s", text)
	}
	want := must(t, "predict", "--decisions", model, data).stdout
	json := filepath.Join(dir, "m.json")
	must(t, "convert", model, "--to", "json", "-o", json)
	if got := must(t, "predict", "--decisions", json, data).stdout; got != want {
		t.Error("JSON: other predictions")
	}
	for _, to := range []string{"c", "go"} {
		source := filepath.Join(dir, "m."+to)
		must(t, "convert", model, "--to", to, "-o", source)
		b, err := os.ReadFile(source)
		if err != nil || !strings.Contains(string(b), "income missing") || !strings.Contains(string(b), "since weekday") {
			t.Errorf("%s does not name its features (%v)", to, err)
		}
	}
	labels := filepath.Join(dir, "labels")
	must(t, "predict", "-o", labels, model, data)
	must(t, "verify", model, "--against", labels, data)
	must(t, "reduce", model, "--max-sv", "8", "--train", data, "-o", filepath.Join(dir, "r.skm"))
}

// TestTableForLIBSVM: samples for a training without columns are numbers as they are, constant or not.
func TestTableForLIBSVM(t *testing.T) {
	data := write(t, "a.libsvm", strings.Repeat("0 1:1 2:3\n1 1:2 2:4\n", 9))
	for _, flag := range []string{"--test", "--val"} {
		must(t, "train", "-m", map[string]string{"--test": "svc", "--val": "lssvm-prune"}[flag], flag,
			write(t, "a.csv", "a,b,y\n1,3,0\n2,3,1\n"), data)
		r := command(t, "", "train", "-m", "svc", flag, write(t, "b.csv", "a,b,y\n1,3,0\n2,,1\n"), data)
		says := `b.csv:3:3: found nothing in column "b"`
		if flag == "--test" && (r.code != session.Failed || !strings.Contains(r.stderr, says)) {
			t.Errorf("status %d: %s", r.code, r.stderr)
		}
	}
	r := command(t, "", "fit", "--time-limit", "2s", "--test", write(t, "a.csv", "a,b,y\n1,3,0\n2,3,1\n"), data)
	if r.code != session.Done && r.code != session.Limit {
		t.Errorf("fit: status %d: %s", r.code, r.stderr)
	}
}

// TestNoWordOfTraining: a cell that the training did not know counts as none, with a note, in files of --test too.
func TestNoWordOfTraining(t *testing.T) {
	data, model := peopleTable(t), filepath.Join(t.TempDir(), "m.skm")
	later := write(t, "later.csv", "sex,since,income,city,age,buys\n"+
		"x,2024-05-06,?,Paris,30,no\nf,2024-05-07,31000,Rome,60,\n")
	r := must(t, "train", "-m", "svc", "-o", model, "--drop-unlabelled", "--test", later, data)
	const says = "2 cells of words that the training did not have count as none (--strict refuses them), the first: "
	if !strings.Contains(r.stderr, says) || !strings.Contains(r.stderr, "later.csv: 1 row without a label left out") {
		t.Errorf("said %q", r.stderr)
	}
	r = must(t, "predict", "--unlabelled", model, later)
	if !strings.Contains(r.stderr, says) || strings.Count(r.stdout, "\n") != 2 {
		t.Errorf("said %q", r.stderr)
	}
	r = command(t, "", "predict", "--unlabelled", "--strict", model, later)
	refusal := `later.csv:2:1: found the unknown category "x" in column "sex"`
	if r.code != session.Failed || !strings.Contains(r.stderr, refusal) {
		t.Errorf("status %d: %q", r.code, r.stderr)
	}
}

// TestHints follows the flags that an error names.
func TestHints(t *testing.T) {
	few, many := "a,dep,y\n", "a,v,y\n"
	for i := range 60 {
		dep, v := fmt.Sprint(i*i%3), fmt.Sprint(i*37%61)
		if i%20 == 7 {
			dep, v = "many", "odd"
		}
		few += fmt.Sprintf("%d,%s,%s\n", i*7%13, dep, []string{"p", "q"}[i%2])
		many += fmt.Sprintf("%d,%s,%s\n", i*7%13, v, []string{"p", "q"}[i%2])
	}
	codes := "@relation r\n@attribute a numeric\n@attribute code {"
	for i := range 1001 {
		codes += fmt.Sprintf("c%d,", i)
	}
	codes = strings.TrimSuffix(codes, ",") + "}\n@attribute y {u,v}\n@data\n1,c1,u\n2,c2,v\n"
	for _, c := range []struct{ name, text, hint, flags string }{
		{"few.csv", few, "try: --categorical dep\n", "--categorical dep"},
		{"many.csv", many, "try: --missing auto,odd\n", "--missing auto,odd"},
		{"codes.arff", codes, "(--drop code leaves it out)", "--drop code"},
		{"empty.csv", "a,b,y,z\n1,2,u,\n2,3,v,\n3,5,v,\n", `found no label in any of 3 rows in column "z"`, "--label-column y --drop z"},
	} {
		file := write(t, c.name, c.text)
		if r := command(t, "", "train", "-m", "svc", file); r.code != session.Failed || !strings.Contains(r.stderr, c.hint) {
			t.Errorf("%s: status %d, %s", c.name, r.code, r.stderr)
		}
		must(t, append(strings.Fields("train -m svc "+c.flags), file)...)
	}
}

package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
)

// fate is what becomes of a column, in the words of the JSON object, or a flag that its fault wants.
type fate string

const (
	number   fate = "numbers"
	yesNo    fate = "yes_no"
	category fate = "categories"
	date     fate = "dates"
	leftOut  fate = "left_out"
	oddWords fate = "--missing auto,oops"
	toDrop   fate = "--drop"
	comma    fate = "--decimal ,"
)

// hostileColumn makes the cells of a column of n rows.
type hostileColumn struct {
	what string
	fate fate
	cell func(r *rand.Rand, i, n int) string
}

func one(words ...string) func(*rand.Rand, int, int) string {
	return func(_ *rand.Rand, i, _ int) string { return words[i%len(words)] }
}

var hostileColumns = []hostileColumn{
	{"numbers", number, func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("%.3f", r.NormFloat64()) }},
	{"exponents", number, func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("%.3e", 1e6*r.NormFloat64()) }},
	{"huge numbers", number, func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("%.4e", 1e150*r.NormFloat64()) }},
	{"numbers in quotes", number, func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("\"%.3f\"", r.Float64()) }},
	{"whole numbers", number, func(r *rand.Rand, _, _ int) string { return fmt.Sprint(r.IntN(9)) }},
	{"zeros and ones", number, one("0", "1", "1")},
	{"years", number, func(_ *rand.Rand, i, _ int) string { return fmt.Sprint(1900 + i) }},
	{"gaps of every kind", number, one("1.5", "NA", "", "?", "NaN", "null", "-7", "n/a", "-", "none", "2")},
	{"a constant", leftOut, one("7")},
	{"one level", leftOut, one("same")},
	{"nothing at all", leftOut, one("")},
	{"only gaps", leftOut, one("NA", "", "nan", "?")},
	{"yes and no", yesNo, one("yes", "no", "no")},
	{"true and false in quotes", yesNo, one(`"true"`, `"false"`, `"true"`)},
	{"sexes with gaps", yesNo, one("m", "f", "", "m", "f")},
	{"colours", category, one("red", "green", "blue")},
	{"words with NA", category, one("a", "NA", "b", "none")},
	{"quotes, commas and lines", category, one("\"a \"\"b\"\"\"", "\"c,d\"", "\"e\nf\"", "\" g \"")},
	{"letters of the world", category, one("größe", "北京", "naïve", "🙂")},
	{"codes", category, one("1", "2", "B", "007")},
	{"dates", date, func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("2024-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)) }},
	{"times", date, func(r *rand.Rand, _, _ int) string {
		return fmt.Sprintf("2024-03-%02dT%02d:15:00Z", 1+r.IntN(9), r.IntN(24))
	}},
	{"days of Europe", date, func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("%d.%d.2023", 1+r.IntN(28), 1+r.IntN(12)) }},
	{"days of America with gaps", date, func(r *rand.Rand, i, _ int) string {
		return []string{"", "NA", fmt.Sprintf("%d/%d/1999", 1+r.IntN(12), 13+r.IntN(15))}[min(i%7, 2)]
	}},
	{"an id of text", leftOut, func(_ *rand.Rand, i, _ int) string { return fmt.Sprint("u", i) }},
	{"row numbers", leftOut, func(_ *rand.Rand, i, _ int) string { return fmt.Sprint(i) }},
	{"free text", leftOut, func(r *rand.Rand, i, n int) string {
		return fmt.Sprintf("\"note %d, of %d\"", r.IntN(n)*n/(n+i+1)+i/2, n)
	}},
	{"a word among numbers", oddWords, func(_ *rand.Rand, i, n int) string { return []string{fmt.Sprint(i * i), "oops"}[i/(n-1)] }},
	{"infinity", number, func(_ *rand.Rand, i, n int) string { return []string{fmt.Sprint(i * i), "inf"}[i/(n-1)] }},
	{"decimal commas", number, func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("\"%d,%d\"", r.IntN(9), 1+r.IntN(8)) }},
	{"both decimal marks", comma, func(r *rand.Rand, i, _ int) string {
		return fmt.Sprintf("\"%d%s%d\"", r.IntN(9), []string{",", "."}[i%2], 1+r.IntN(8))
	}},
	{"dollars", number, func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("\"$%d,%03d.50 \"", 1+r.IntN(9), r.IntN(999)) }},
	{"short years", date, func(r *rand.Rand, _, _ int) string { return fmt.Sprintf("%d/%d/14", 1+r.IntN(12), 1+r.IntN(28)) }},
	{"numbers or unknown", number, func(r *rand.Rand, i, _ int) string {
		return []string{"unknown", fmt.Sprint(r.NormFloat64())}[min(1, i%5)]
	}},
}

// hostileTable is a file with the fate of its columns.
type hostileTable struct {
	text       string // with a column y of labels
	later      string // a file to predict: other columns first, unknown words, without labels
	columns    map[string]fate
	rows       int
	unknown    bool   // later has such words
	unlabelled int    // rows
	says       string // of a table that cannot be used however it is read
}

// newHostileTable makes a table of random columns, some with faults.
func newHostileTable(seed uint64) *hostileTable {
	r := rand.New(rand.NewPCG(seed, 3))
	n := 30 + r.IntN(50)
	h := &hostileTable{columns: map[string]fate{}, rows: n}
	separator := []string{",", ",", ";", "\t"}[r.IntN(4)]
	kinds := []int{0}
	for range 1 + r.IntN(9) {
		kinds = append(kinds, r.IntN(len(hostileColumns)))
	}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	names := make([]string, len(kinds))
	for j, k := range kinds {
		names[j] = []string{"c%d", "the c%d", "c%d: größe", "C%d"}[r.IntN(4)]
		names[j] = fmt.Sprintf(names[j], j)
		h.columns[names[j]] = hostileColumns[k].fate
		if hostileColumns[k].fate == comma && separator == "," {
			h.columns[names[j]] = toDrop
		}
	}
	cells := make([][]string, n)
	for i := range cells {
		for _, k := range kinds {
			cell := hostileColumns[k].cell(r, i, n)
			if separator == ";" && strings.Contains(cell, ",") {
				cell = `"` + strings.Trim(cell, `"`) + `"`
			}
			cells[i] = append(cells[i], cell)
		}
	}
	h.write(r, names, cells, separator)
	return h
}

// write makes the two texts, and faults of rows in some.
func (h *hostileTable) write(r *rand.Rand, names []string, cells [][]string, separator string) {
	fault := []string{"", "", "", "", "", "ragged", "quote", "label", "label", "name", "one class"}[r.IntN(11)]
	if fault == "one class" && h.atFault() {
		fault = ""
	}
	var b, later strings.Builder
	b.WriteString([]string{"", "\ufeff"}[r.IntN(2)])
	header := slices.Clone(names)
	if fault == "name" {
		header[0] = header[len(header)-1]
		if len(header) > 1 {
			h.says = "a second column"
		}
	}
	b.WriteString(strings.Join(append(header, "y"), separator) + "\n")
	turned := slices.Clone(names)
	slices.Reverse(turned)
	later.WriteString(strings.Join(turned, separator) + "\n")
	for i, row := range cells {
		label := []string{"u", "v"}[i%2]
		switch {
		case fault == "one class":
			label, h.says = "u", "one class only"
		case fault == "label" && i == 3:
			label = []string{"", "NA", "?"}[r.IntN(3)]
			h.unlabelled++
			h.rows--
		case fault == "ragged" && i == 5:
			row, h.says = append(slices.Clone(row), "1"), "another number of cells"
		case fault == "quote" && i == 6:
			row, h.says = append([]string{`1""2`}, row[1:]...), "a misplaced quote"
		}
		b.WriteString(strings.Join(append(slices.Clone(row), label), separator) + "\n")
		then := slices.Clone(cells[i])
		for j := range then {
			if f := h.columns[names[j]]; i == 4 && (f == category || f == yesNo) {
				then[j], h.unknown = "never seen", true
			}
		}
		slices.Reverse(then)
		later.WriteString(strings.Join(then, separator) + "\n")
	}
	h.text, h.later = b.String(), later.String()
	if r.IntN(3) == 0 {
		h.text = strings.TrimSuffix(strings.ReplaceAll(h.text, "\n", "\r\n"), "\r\n")
	}
}

// TestHostileTables gives 300 tables to train, and later ones to predict. Each has one answer: a model that knows what
// became of every column and row, or one error with every column at fault and flags that help.
func TestHostileTables(t *testing.T) {
	models, errors, helped := 0, 0, 0
	for seed := range uint64(300) {
		h := newHostileTable(seed)
		file, out := write(t, "a.csv", h.text), filepath.Join(t.TempDir(), "m.skm")
		args := []string{"train", "-m", "svc", "--json", "--out", out, file}
		r := command(t, "", args...)
		if h.atFault() {
			errors++
			if flags := h.refused(t, seed, &r); h.says != "" || flags == nil {
				continue
			} else {
				helped++
				r = command(t, "", append(args, flags...)...)
			}
		}
		if r.code != session.Done || r.stdout == "" {
			t.Errorf("seed %d: status %d, %s\n%s", seed, r.code, r.stderr, h.text)
			continue
		}
		models++
		h.found(t, seed, r.stdout)
		h.predicted(t, seed, out)
	}
	t.Logf("%d models, %d errors, %d of them helped by the flags that they name", models, errors, helped)
	if models < 100 || errors < 50 || helped < 30 {
		t.Errorf("%d models, %d errors, %d helped", models, errors, helped)
	}
}

func (h *hostileTable) atFault() bool {
	for _, f := range h.columns {
		if f.fault() {
			return true
		}
	}
	return h.says != ""
}

// fault reports whether no column can be read so without the flag.
func (f fate) fault() bool { return strings.HasPrefix(string(f), "--") }

// refused checks an error: it names the file, every column at fault, and every flag that helps, which it returns.
func (h *hostileTable) refused(t *testing.T, seed uint64, r *result) (flags []string) {
	if r.code != session.Failed || r.stdout != "" || !strings.Contains(r.stderr, h.says) ||
		strings.Contains(r.stderr, "goroutine") {
		t.Errorf("seed %d: status %d, want %q in %s\n%s", seed, r.code, h.says, r.stderr, h.text)
	}
	if strings.Contains(h.says, "column") || strings.Contains(h.says, "class") {
		return nil // nothing else can be said
	}
	_, try, _ := strings.Cut(r.stderr, "sparsekm: try: ")
	for name, f := range h.columns {
		if f.fault() {
			if !strings.Contains(r.stderr, fmt.Sprintf("in column %q", name)) || !strings.Contains(try, string(f)) {
				t.Errorf("seed %d: no word of %s in %s\n%s", seed, name, r.stderr, h.text)
			}
		}
	}
	return shellWords(strings.TrimSpace(try))
}

// shellWords splits a line as a shell does, with simple quotes.
func shellWords(line string) (all []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all[len(all)-1] += part
			continue
		}
		fields := strings.Split(part, " ")
		if i > 0 && len(all) > 0 {
			all[len(all)-1] += fields[0]
			fields = fields[1:]
		}
		all = append(all, fields...)
	}
	return all
}

// found checks what the JSON object of a training says of columns and rows.
func (h *hostileTable) found(t *testing.T, seed uint64, text string) {
	var o struct {
		N, D    int
		Columns dataset.Notes
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	notes := &o.Columns
	where := map[string]fate{}
	for _, c := range notes.YesNo {
		where[c] = yesNo
	}
	for _, c := range notes.Categories {
		where[c.Column] = category
	}
	for _, c := range notes.Dates {
		where[c.Column] = date
	}
	for _, c := range notes.LeftOut {
		where[c.Column] = leftOut
	}
	numbers := 0
	for name, f := range h.columns {
		switch {
		case f == number || f == comma || f == oddWords:
			numbers++
		case f != toDrop && where[name] != f:
			t.Errorf("seed %d: %q became %q, want %q\n%s", seed, name, where[name], f, h.text)
		}
	}
	if numbers != notes.Numbers || o.N != h.rows || o.D < 1 || notes.Unlabelled != h.unlabelled {
		t.Errorf("seed %d: %d numbers, %d rows, %d unlabelled, want %d, %d, %d", seed, notes.Numbers, o.N, notes.Unlabelled,
			numbers, h.rows, h.unlabelled)
	}
}

// predicted reads the later file by the model.
func (h *hostileTable) predicted(t *testing.T, seed uint64, model string) {
	file := write(t, "later.csv", h.later)
	args := []string{"predict", model, file}
	for _, f := range h.columns {
		if f == comma {
			args = append(args, "--decimal=,")
			break
		}
	}
	r := command(t, "", args...)
	rows := strings.Count(r.stdout, "\n")
	wanted := h.rows + h.unlabelled
	if r.code != session.Done || rows != wanted || strings.Contains(r.stderr, "count as none") != h.unknown {
		t.Errorf("seed %d: status %d, %d predictions, want %d: %s\n%s", seed, r.code, rows, wanted, r.stderr, h.later)
	}
	strict := command(t, "", append(args, "--strict")...)
	word := strings.Contains(strict.stderr, `unknown category "never seen"`)
	hole := strings.Contains(strict.stderr, "--strict refuses it") && strings.Contains(r.stderr, " filled (--strict ")
	if refused := word || hole; refused == (strict.code == session.Done) || h.unknown && !refused || word && !h.unknown {
		t.Errorf("seed %d: strict: status %d, %s", seed, strict.code, strict.stderr)
	}
}

// TestManyLevels: 10⁵ different words are left out with a line, or are one error where they are asked for.
func TestManyLevels(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,word,y\n")
	for i := range 100_000 {
		fmt.Fprintf(&b, "%d,w%d,%s\n", i%4, i, []string{"u", "v"}[i/2%2])
	}
	file := write(t, "a.csv", b.String())
	for _, args := range [][]string{nil, {"--columns=strict", "--categorical=word"}, {"--categorical=word"}} {
		r := command(t, "", append([]string{"train", "-m", "ssvc-b", "--candidates=4", file}, args...)...)
		if args == nil {
			if r.code != session.Done || !strings.Contains(r.stderr, "left out: word (all different)") {
				t.Errorf("status %d: %s", r.code, r.stderr)
			}
		} else if r.code != session.Failed || !strings.Contains(r.stderr, "more than 1000 categories") {
			t.Errorf("%v: status %d: %s", args, r.code, r.stderr)
		}
	}
}

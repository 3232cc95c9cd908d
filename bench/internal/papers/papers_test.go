package papers

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Every table's rows have its columns, and every file is in the catalogue, with the checksum of the one in testdata.
func TestTables(t *testing.T) {
	names := make(map[string]bool)
	for _, table := range All() {
		if names[table.Name] || table.Title == "" || table.Protocol == "" || len(table.Rows) == 0 {
			t.Errorf("%s: twice, or without title, protocol or rows", table.Name)
		}
		names[table.Name] = true
		for _, row := range table.Rows {
			if len(row.Of) != len(table.Of) || len(row.Paper) != len(table.Paper) || row.Data == "" || row.Method == "" {
				t.Errorf("%s: row %+v", table.Name, row)
			}
		}
		for _, file := range table.Files() {
			d, err := FileOf(file)
			if err != nil {
				t.Errorf("%s: %v", table.Name, err)
				continue
			}
			text, err := os.ReadFile(filepath.Join(testutil.Root(t), "testdata", file))
			if sum := sha256.Sum256(text); err == nil && hex.EncodeToString(sum[:]) != d.SHA256 {
				t.Errorf("%s has the checksum %x", file, sum)
			}
		}
	}
	for _, want := range []string{"huang-fig1", "huang-section5", "peleg-fig1", "peleg-fig3", "suykens-spline", "huang-fig2",
		"huang-fig3", "huang-fig4", "huang-table2", "huang-fig5", "kobayashi-fig1",
		"kobayashi-table1", "kobayashi-table2", "kobayashi-table3",
		"peleg-fig2", "peleg-table3", "peleg-tables4-7", "suykens-fig2-4",
		"abe-table1-4", "abe-table6", "abe-table7", "abe-table8"} {
		if _, err := Lookup(want); err != nil {
			t.Error(err)
		}
	}
	if _, err := Lookup("huang-fig9"); err == nil {
		t.Error("there is a Fig. 9")
	}
}

// page is docs/performance/papers.md.
func page(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", "performance", "papers.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// parsed is a section of the page as a result, with the rows of its file if the section has their medians only.
func parsed(t *testing.T, table *Table, section string) (r *Result, pictures []string) {
	t.Helper()
	r, err := table.Recorded(page(t), filepath.Join(testutil.Root(t), "docs", "results"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(section) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "![") {
			pictures = append(pictures, line[strings.LastIndexByte(line, '(')+1:len(line)-1])
		}
	}
	return r, pictures
}

// differ returns the first lines that are not the same.
func differ(a, b string) (x, y string, ok bool) {
	next, stop := iter.Pull(strings.Lines(b))
	defer stop()
	for x = range strings.Lines(a) {
		if y, _ = next(); x != y {
			return x, y, true
		}
	}
	y, ok = next()
	return "", y, ok
}

var update = flag.Bool("update", false, "write the page again, with the figures that it has")

// TestPage compares every section of docs/performance/papers.md with what the command makes, except for our figures:
// titles, protocols, columns, what the papers print, deviations, medians of the rows in docs/results.
func TestPage(t *testing.T) {
	text := page(t)
	digit := regexp.MustCompile(`[0-9]|both|error|vectors|neither`)
	for _, table := range All() {
		section, ok := Section(text, table.Name)
		if !ok {
			t.Errorf("the page has no marks of %s", table.Name)
			continue
		}
		r, pictures := parsed(t, table, section)
		var again bytes.Buffer
		if err := r.WriteSection(&again, "../results/"+table.Name+".tsv", pictures...); err != nil {
			t.Fatal(err)
		}
		if again.String() != section {
			was, now, _ := differ(section, again.String())
			t.Errorf("%s: the page has\n%s\nwhere the command makes\n%s", table.Name, was, now)
		}
		if *update && again.String() != section {
			if text, err := Replace(page(t), table.Name, again.String()); err == nil {
				os.WriteFile(filepath.Join(testutil.Root(t), "docs", "performance", "papers.md"), []byte(text), 0o666)
			}
		}
		made := 0
		for i, ours := range r.Ours {
			if ours != nil {
				made++
			}
			for _, cell := range ours {
				if !digit.MatchString(cell) {
					t.Errorf("%s, %v: found %q", table.Name, table.Rows[i].Of, cell)
				}
			}
		}
		if made == 0 {
			t.Errorf("%s has no row", table.Name)
		}
		for _, p := range pictures {
			if _, err := os.Stat(filepath.Join(testutil.Root(t), "docs", "performance", p)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestCheapTables makes the tables that take no time, and wants the page's figures.
func TestCheapTables(t *testing.T) {
	e := &Env{Folders: []string{filepath.Join(testutil.Root(t), "testdata")}}
	text := page(t)
	for _, name := range []string{"huang-fig1", "huang-fig2", "huang-fig3", "huang-fig4", "peleg-fig1"} {
		table, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := table.Run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Notes) > 0 || len(r.Panels) == 0 && r.Curves == nil {
			t.Errorf("%s: notes %q, %d panels, curves %v", name, r.Notes, len(r.Panels), r.Curves)
		}
		section, _ := Section(text, name)
		was, _ := parsed(t, table, section)
		for i, row := range table.Rows {
			got, want := r.Ours[i], was.Ours[i]
			if name == "huang-fig4" { // how many rounds depends on the last bits
				got, want = got[2:], want[2:]
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %v: %q, the page has %q", name, row.Of, got, want)
			}
		}
	}
}

// small writes samples of few features and two splits of them where tables look for a file.
func small(t *testing.T, folder, file string, set *dataset.Set) {
	t.Helper()
	var text bytes.Buffer
	if err := set.WriteLIBSVM(&text); err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(file, ".")
	rows := func(step int) string {
		all := twoParts(set.N, set.N).Train
		return strings.Trim(fmt.Sprint(slices.DeleteFunc(all, func(i int) bool { return i%3 == step })), "[]")
	}
	splits := rows(0) + "\n" + rows(1) + "\n"
	for path, content := range map[string]string{file: text.String(), name + ".splits": splits, name + "-3000.splits": splits} {
		if err := os.WriteFile(filepath.Join(folder, path), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// digitFiles writes MNIST's files with 60 images of one bright pixel, by digit.
func digitFiles(t *testing.T, folder string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(folder, "mnist"), 0o700); err != nil {
		t.Fatal(err)
	}
	table, err := Lookup("kobayashi-table2")
	if err != nil {
		t.Fatal(err)
	}
	const n = 2000 // as many as --quick reads
	for k, file := range table.Data {
		var idx bytes.Buffer
		w := gzip.NewWriter(&idx)
		if k%2 == 0 {
			binary.Write(w, binary.BigEndian, []uint32{0x803, n, 28, 28})
		} else {
			binary.Write(w, binary.BigEndian, []uint32{0x801, n})
		}
		for i := range n {
			digit := byte(i % 10)
			if image := make([]byte, 28*28); k%2 == 0 {
				image[40*int(digit)] = 255
				w.Write(image)
			} else {
				w.Write([]byte{digit})
			}
		}
		if err := errors.Join(w.Close(), os.WriteFile(filepath.Join(folder, file), idx.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEveryTable makes every table of files from a few samples: rows of files that are there have figures, the others
// are left out and named.
func TestEveryTable(t *testing.T) {
	folder := t.TempDir()
	for _, file := range []string{"heart.libsvm", "ringnorm.libsvm.gz", "twonorm.libsvm", "waveform.libsvm",
		"ringnorm-1000.libsvm", "waveform-1000.libsvm", "ionosphere.libsvm"} {
		small(t, folder, file, dataset.TwoGaussians(36, 1, 0.5, 2, 1))
	}
	small(t, folder, "satimage.libsvm", &dataset.Set{X: waveform(60).X, N: 60, D: 21, Y: dataset.Waveform(60, 1).Y,
		Labels: []string{"1", "2", "3"}})
	small(t, folder, "iris.libsvm", &dataset.Set{X: waveform(60).X, N: 60, D: 21, Y: dataset.Waveform(60, 1).Y,
		Labels: []string{"1", "2", "3"}})
	e := &Env{Folders: []string{folder}, Quick: true}
	made := map[string]int{"huang-table2": 14, "huang-section5": 28, "peleg-fig3": 6, "huang-fig5": 14,
		"kobayashi-fig1": 8, "kobayashi-table1": 8,
		"peleg-tables4-7": 8, "abe-table1-4": 20, "abe-table6": 4, "abe-table7": 4,
		"abe-table8": 7}
	if !testing.Short() {
		digitFiles(t, folder)
		made["kobayashi-table2"], made["kobayashi-table3"], made["suykens-fig2-4"] = 10, 10, 3
		made["suykens-spline"] = 3
	}
	for name, rows := range made {
		table, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := table.Run(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if cells := r.Cells(); len(cells) != rows {
			t.Errorf("%s has %d rows, want %d: %q; %q", name, len(cells), rows, cells, r.Notes)
		}
		for i, row := range r.Rows {
			there := e.Find(row.Data) != "" || row.Data == Drawn
			if want := there && row.known(); (r.Ours[i] != nil) != want {
				t.Errorf("%s, %v: %q, want figures: %v", name, row.Of, r.Ours[i], want)
			}
			if !there && !strings.Contains(strings.Join(r.Notes, "\n"), row.Data) {
				t.Errorf("%s does not say that %s is not there: %q", name, row.Data, r.Notes)
			}
		}
		var text bytes.Buffer
		if err = r.WriteTSV(&text); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
		if len(lines) != rows+1 || strings.Count(lines[rows], "\t") != len(r.Header())-1 {
			t.Errorf("%s: %d lines of tab-separated values, the last %q", name, len(lines), lines[len(lines)-1])
		}
	}
}

// A table that is stopped has what there was, and says so; a table without its data has no rows.
func TestStopped(t *testing.T) {
	table, err := Lookup("huang-fig2")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := table.Run(ctx, new(Env))
	if !errors.Is(err, context.Canceled) || len(r.Cells()) != 0 || !slices.Contains(r.Notes, "Stopped on the way.") {
		t.Errorf("%v, %v, %q", err, r.Cells(), r.Notes)
	}
	if table, err = Lookup("huang-fig3"); err != nil {
		t.Fatal(err)
	}
	if r, err = table.Run(t.Context(), new(Env)); err != nil || len(r.Cells()) != 0 || len(r.Notes) != 1 {
		t.Errorf("without data: %v, %v, %q", err, r.Cells(), r.Notes)
	}
}

// A deviation that follows from data is noted where they are there, or where others are drawn in their place.
func TestAbout(t *testing.T) {
	for what, want := range map[string]string{"there": "of the file", "drawn": "of draws", "absent": ""} {
		table := &Table{About: []about{{"a", false, "of the file"}, {"a", true, "of draws"}}}
		table.run = func(_ context.Context, r *Result, _ *Env) error {
			switch what {
			case "drawn":
				r.drawn = []string{"a"}
			case "absent":
				r.absent = []string{"a"}
			}
			return nil
		}
		r, err := table.Run(t.Context(), new(Env))
		notes := slices.DeleteFunc(r.Notes, func(n string) bool { return !strings.HasPrefix(n, "of ") })
		if got := strings.Join(notes, "; "); err != nil || got != want {
			t.Errorf("%s: %q, want %q; %v", what, got, want, err)
		}
	}
}

// Another file of the same name is noted.
func TestOtherFile(t *testing.T) {
	folder := t.TempDir()
	for _, file := range []string{"ripley.train.libsvm", "ripley.test.libsvm"} {
		small(t, folder, file, dataset.TwoGaussians(30, 1, 0.5, 2, 1))
	}
	table, err := Lookup("huang-fig3")
	if err != nil {
		t.Fatal(err)
	}
	r, err := table.Run(t.Context(), &Env{Folders: []string{folder}})
	if err != nil || len(r.Notes) != 2 || !strings.Contains(r.Notes[0], "SHA-256") {
		t.Errorf("%v, %q", err, r.Notes)
	}
}

func TestReplace(t *testing.T) {
	const text = "a\n<!--x-->\nold\n<!--/x-->\nb\n"
	got, err := Replace(text, "x", "new\n")
	if want := strings.Replace(text, "old", "new", 1); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	if _, err = Replace(text, "y", "new\n"); err == nil || !strings.Contains(err.Error(), "<!--y-->") {
		t.Errorf("a page without marks: %v", err)
	}
}

// Every method of Peleg & Meir has the same C, skm too: the paper's words give it the reciprocals, its tables do not.
func TestPelegGrid(t *testing.T) {
	for _, method := range pelegMethods {
		for _, kernel := range pelegKernels {
			search, err := pelegSearch(method, kernel, 5)
			if err != nil {
				t.Fatal(err)
			}
			last := len(search.Settings) - 1
			testutil.NearRel(t, method+", least C", search.Settings[0].Varied["c"], 1e-3, 1e-12)
			testutil.NearRel(t, method+", largest C", search.Settings[last].Varied["c"], 10, 1e-12)
		}
	}
}

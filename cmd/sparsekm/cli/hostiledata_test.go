package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// plainData are 24 samples of two classes, and plainText the same in CSV.
var plainData, plainText = plainPoints()

// arffHead declares the columns of plainText.
const arffHead = "@relation people\n@attribute height real\n@attribute width real\n@attribute kind {yes,no}\n@data\n"

func plainPoints() (libsvm, csv string) {
	csv = "height,width,kind\n"
	for i := range 24 {
		x, y, label, kind := float64(i%5)/4, float64(i%7)/8, "-1", "no"
		if i%2 == 1 {
			x, label, kind = x+1.5, "1", "yes"
		}
		libsvm += fmt.Sprintf("%s 1:%v 2:%v\n", label, x, y)
		csv += fmt.Sprintf("%v,%v,%s\n", x, y, kind)
	}
	return libsvm, csv
}

// zipped compresses each part as a member of its own.
func zipped(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		w.Write([]byte(part)) // into memory
		w.Close()
	}
	return b.String()
}

// badData are files of samples. What train says is in train, what the others say in later; "" for no
// refusal: the samples are those of plainData or plainText, or there is more or fewer of them (other).
var badData = []struct {
	what, file, text, train, later string
	other                          bool
}{
	// As people have it: the same samples.
	{what: "BOM", file: "a.libsvm", text: "\ufeff" + plainData},
	{what: "CRLF", file: "a.libsvm", text: strings.ReplaceAll(plainData, "\n", "\r\n")},
	{what: "no last line end", file: "a.libsvm", text: strings.TrimSuffix(plainData, "\n")},
	{what: "empty lines", file: "a.libsvm", text: strings.ReplaceAll(plainData, "\n", "\n\n")},
	{what: "tabs", file: "a.libsvm", text: strings.ReplaceAll(plainData, " ", "\t")},
	{what: "spaces at the ends", file: "a.libsvm", text: strings.ReplaceAll(plainData, "\n", "  \n")},
	{what: "comments", file: "a.libsvm", text: "# samples\n" + strings.ReplaceAll(plainData, "\n", " # a sample\n")},
	{what: "plus signs", file: "a.libsvm", text: strings.ReplaceAll(plainData, "\n1 ", "\n+1 ")},
	{what: "labels with fractions of 0", file: "a.libsvm", text: strings.ReplaceAll(plainData, "\n1 ", "\n1.0 ")},
	{what: "hexadecimal", file: "a.libsvm", text: strings.ReplaceAll(plainData, ":0.25 ", ":0x1p-2 ")},
	{what: "exponents", file: "a.libsvm", text: strings.ReplaceAll(plainData, ":0.25 ", ":2.5E-01 ")},
	{what: "gzip", file: "a.libsvm.gz", text: zipped(plainData)},
	{what: "gzip of another name", file: "a.libsvm", text: zipped(plainData)},
	{what: "gzip of two members", file: "a.gz", text: zipped(plainData[:100], plainData[100:])},
	{what: "a name of another kind", file: "a.txt", text: plainData},
	{what: "CSV BOM", file: "a.csv", text: "\ufeff" + plainText},
	{what: "CSV CRLF", file: "a.csv", text: strings.ReplaceAll(plainText, "\n", "\r\n")},
	{what: "CSV semicolons", file: "a.csv", text: strings.ReplaceAll(plainText, ",", ";")},
	{what: "CSV tabs", file: "a.csv", text: strings.ReplaceAll(plainText, ",", "\t")},
	{what: "CSV quotes", file: "a.csv", text: strings.NewReplacer("yes", `"yes"`, "no\n", "\"no\"\n").Replace(plainText)},
	{what: "CSV spaces", file: "a.csv", text: strings.ReplaceAll(plainText, ",", " , ")},
	{what: "CSV gzip", file: "a.csv.gz", text: zipped(plainText)},
	{what: "CSV empty lines", file: "a.csv", text: plainText + "\n\n"},
	{what: "CSV as ARFF", file: "a.arff", text: arffHead + plainText[len("height,width,kind\n"):]},
	{what: "CSV as ARFF of another name", file: "a.txt", text: "% Weka's\n" + arffHead + plainText[len("height,width,kind\n"):]},
	{what: "CSV as ARFF, header alone", file: "a.arff", text: arffHead, train: "found no samples"},
	{what: "CSV as ARFF, cut off", file: "a.arff", text: arffHead[:30], train: "a.arff:2"},
	// Nothing, or not all of it.
	{what: "empty", file: "a.libsvm", train: "found no samples"},
	{what: "CSV empty", file: "a.csv", train: "found no samples"},
	{what: "line ends", file: "a.libsvm", text: "\n\r\n\n", train: "found no samples"},
	{what: "CSV header alone", file: "a.csv", text: "height,width,kind\n", train: "found no samples"},
	{what: "gzip of nothing", file: "a.gz", text: zipped(""), train: "found no samples"},
	{what: "gzip cut off", file: "a.gz", text: zipped(plainData)[:60], train: "a.gz"},
	{what: "gzip header alone", file: "a.gz", text: zipped(plainData)[:10], train: "a.gz"},
	{what: "gzip, a byte flipped", file: "a.gz", text: flip(zipped(plainData), 40), train: "a.gz"},
	{what: "gzip, wrong sum", file: "a.gz", text: flip(zipped(plainData), -6), train: "checksum"},
	{what: "gzip and rubbish", file: "a.gz", text: zipped(plainData) + "rubbish", train: "a.gz"},
	{what: "one class", file: "a.libsvm", text: strings.ReplaceAll(plainData, "-1 ", "1 "), train: "one class", other: true},
	{what: "one sample", file: "a.libsvm", text: "1 1:1 2:2\n", train: "one class", other: true},
	{what: "CSV one class", file: "a.csv", text: strings.ReplaceAll(plainText, "no\n", "yes\n"), train: "one class",
		other: true},
	// Something else.
	{what: "binary", file: "a.libsvm", text: "\x7fELF\x02\x01\x01\x00\x00\x00", train: "a.libsvm:1:1"},
	{what: "zeros", file: "a.libsvm", text: strings.Repeat("\x00", 4096), train: "a.libsvm:1:1"},
	{what: "UTF-16", file: "a.csv", text: "\xff\xfeh\x00,\x00w\x00,\x00k\x00\n\x00", train: "a.csv"},
	{what: "not UTF-8", file: "a.csv", text: strings.ReplaceAll(plainText, "height", "h\xe9ight"), train: "",
		later: "height"},
	{what: "bzip2", file: "a.bz2", text: "BZh91AY&SY\x12\x34", train: "a.bz2:1: unexpected EOF"},
	{what: "xz", file: "a.xz", text: "\xfd7zXZ\x00\x00\x04", train: "xz"},
	{what: "zstd", file: "a.zst", text: "\x28\xb5\x2f\xfd\x04\x00", train: "zstandard"},
	{what: "zip", file: "a.zip", text: "PK\x03\x04\x14\x00", train: "zip"},
	{what: "npy", file: "a.npy", text: "\x93NUMPY\x01\x00v\x00{'descr'", train: "NumPy"},
	{what: "parquet", file: "a.parquet", text: "PAR1\x15\x04\x15\x10", train: "Parquet"},
	{what: "HDF5", file: "a.h5", text: "\x89HDF\r\n\x1a\n\x00", train: "HDF5"},
	{what: "JSON", file: "a.json", text: `{"points": [[1, 2], [3, 4]]}` + "\n", train: "a.json:1"},
	{what: "HTML", file: "a.html", text: "<!DOCTYPE html>\n<html><body>404</body></html>\n", train: "a.html"},
	{what: "CSV as ARFF", file: "a.arff", text: "@relation x\n@attribute a numeric\n@data\n1,2,a\n", train: "a.arff"},
	// Numbers that are none.
	{what: "NaN", file: "a.libsvm", text: plainData + "1 1:nan 2:1\n", train: `a.libsvm:25:5: found "nan"`},
	{what: "infinity", file: "a.libsvm", text: plainData + "1 1:1 2:-Inf\n", train: `found "-Inf"`},
	{what: "too large", file: "a.libsvm", text: plainData + "1 1:1e400 2:1\n", train: "1e400"},
	{what: "underscores", file: "a.libsvm", text: plainData + "1 1:1_000 2:1\n", train: "1_000"},
	{what: "decimal comma", file: "a.libsvm", text: plainData + "1 1:0,5 2:1\n", train: "0,5"},
	{what: "no value", file: "a.libsvm", text: plainData + "1 1: 2:1\n", train: "a.libsvm:25:6"},
	{what: "no index", file: "a.libsvm", text: plainData + "1 :1 2:1\n", train: "a.libsvm:25:3"},
	{what: "no colon", file: "a.libsvm", text: plainData + "1 1 2:1\n", train: "a.libsvm:25:3"},
	{what: "two colons", file: "a.libsvm", text: plainData + "1 1:2:3\n", train: "a.libsvm:25:5"},
	{what: "index twice", file: "a.libsvm", text: plainData + "1 1:1 1:2\n", train: "index 1 twice"},
	{what: "indices that fall", file: "a.libsvm", text: plainData + "1 2:1 1:2\n", train: "after a larger one"},
	{what: "index 0", file: "a.libsvm", text: plainData + "1 1:1 0:2\n", train: "index 0"},
	{what: "index below 0", file: "a.libsvm", text: plainData + "1 -1:1 1:2\n", train: "a.libsvm:25:3"},
	{what: "huge index", file: "a.libsvm", text: plainData + "1 1:1 99999999999999999999:2\n", train: "a.libsvm:25:7"},
	{what: "large index", file: "a.libsvm", text: plainData + "1 1:1 2000000000:2\n", train: "2000000000",
		later: "features"},
	{what: "fraction of a label", file: "a.libsvm", text: plainData + "0.5 1:1 2:2\n", train: `found "0.5"`},
	{what: "NaN label", file: "a.libsvm", text: plainData + "nan 1:1 2:2\n", train: `found "nan"`},
	{what: "label of text", file: "a.libsvm", text: plainData + "red 1:1 2:2\n", train: `found "red"`},
	{what: "huge label", file: "a.libsvm", text: plainData + "9007199254740993 1:1 2:2\n", train: "9007199254740993"},
	{what: "long line of rubbish", file: "a.libsvm", text: strings.Repeat("x", 1<<20), train: "a.libsvm:1:1"},
	{what: "CSV missing label", file: "a.csv", text: plainText + "1,2,\n", other: true},
	{what: "CSV text", file: "a.csv", text: plainText + "tall,1,yes\n", train: `found "tall"`},
	{what: "CSV decimal comma", file: "a.csv", text: plainText + "\"1,5\",1,yes\n", train: "1,5"},
	{what: "CSV short row", file: "a.csv", text: plainText + "1,yes\n", train: "a.csv:26"},
	{what: "CSV long row", file: "a.csv", text: plainText + "1,2,3,yes\n", train: "a.csv:26"},
	{what: "CSV open quote", file: "a.csv", text: plainText + "\"1,2,yes\n", train: "a.csv:26"},
	{what: "CSV stray quote", file: "a.csv", text: plainText + "1,2\",yes\n", train: "a.csv:26"},
	{what: "CSV one name twice", file: "a.csv", text: strings.Replace(plainText, "width", "height", 1), train: "height"},
	{what: "CSV header twice", file: "a.csv", text: plainText + plainText, train: `found "height"`},
	{what: "CSV fraction of a label", file: "a.csv", text: plainText + "1,2,0.5\n", train: `0.5`},
	{what: "CSV label alone", file: "a.csv", text: "kind\nyes\nno\n", train: "a.csv", later: "found 1 column"},
}

func flip(text string, at int) string {
	b := []byte(text)
	if at < 0 {
		at += len(b)
	}
	b[at] ^= 0x10
	return string(b)
}

// dataCases gives every bad file to everything that reads samples.
func dataCases(t *testing.T, f fixture) (cases []hostile) {
	for _, d := range badData {
		model, data, labels := "MODEL", "DATA", "LABELS"
		if strings.HasPrefix(d.what, "CSV") || strings.HasPrefix(d.what, "not UTF-8") {
			model, data, labels = "NAMED", "TEXT", "NAMES"
		}
		later := d.later
		if later == "" && !d.other {
			later = d.train
		}
		add := func(what, says string, result func(*testing.T, string, result), args ...string) {
			h := hostile{what: d.what + ", " + what, file: d.file, text: d.text, args: args, says: says, result: result}
			if says != "" {
				h.code = session.Failed
			}
			cases = append(cases, h)
		}
		trained := sameMachine(f[model])
		if d.later != "" { // other samples
			trained = nil
		}
		add("train", d.train, trained, "train", "-m", "svc", "-o", "OUT", "IN")
		if !d.other && later == "" {
			add("train --test", later, nil, "train", "-m", "svc", "-o", "OUT", "--test", "IN", data)
		}
		predicted := sameText(t, f[labels])
		if d.other {
			predicted = nil
		}
		add("predict", later, predicted, "predict", "--decisions", "-o", "OUT", model, "IN")
		if !d.other && later == "" {
			add("verify", later, nil, "verify", model, "--against", labels, "IN")
		}
		add("reduce", later, nil, "reduce", model, "--max-sv", "3", "--train", "IN", "-o", "OUT")
		cases = append(cases, fromPipe(d.what, d.text, model, later, predicted))
	}
	return cases
}

// fromPipe is predict with samples from standard input, which have no file name to tell their kind.
func fromPipe(what, text, model, says string, result func(*testing.T, string, result)) hostile {
	h := hostile{what: what + ", pipe", stdin: text, args: []string{"predict", "--decisions", "-o", "OUT", model, "-"},
		says: says, result: result}
	if says != "" {
		h.code, h.says = session.Failed, ""
	}
	return h
}

// sameMachine wants the model of another model.
func sameMachine(want string) func(*testing.T, string, result) {
	return func(t *testing.T, out string, _ result) {
		t.Helper()
		a, err1 := sparsekm.Load(want)
		b, err2 := sparsekm.Load(out)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		p, q := a.Parts(), b.Parts()
		if !slices.Equal(p.Vectors, q.Vectors) || !slices.Equal(p.Submodels[0].Coef, q.Submodels[0].Coef) ||
			p.Submodels[0].Bias != q.Submodels[0].Bias {
			t.Errorf("another model than that of the plain file")
		}
	}
}

func sameText(t *testing.T, want string) func(*testing.T, string, result) {
	text, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	return func(t *testing.T, out string, _ result) {
		t.Helper()
		if got, err := os.ReadFile(out); err != nil || string(got) != string(text) {
			t.Errorf("other predictions than those of the plain file (%v):\n%.200s", err, got)
		}
	}
}

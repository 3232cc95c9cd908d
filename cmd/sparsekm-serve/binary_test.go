package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// taken is an output whose binary data were taken apart.
type taken struct {
	Name, Datatype string
	Shape          []int
	Parameters     struct {
		Size *int `json:"binary_data_size"`
	}
	Data json.RawMessage
	x    []float64
	text []string
}

// apart takes an answer with binary data apart, by the protocol's page and nothing of this package.
func apart(t *testing.T, r *http.Response) (outputs []taken) {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(r.Header.Get("Inference-Header-Content-Length"))
	if err != nil || n < 1 || n > len(body) || r.StatusCode != 200 ||
		r.Header.Get("Content-Type") != "application/octet-stream" {
		t.Fatalf("status %d, %v, %v, %q", r.StatusCode, err, r.Header, body)
	}
	var answer struct{ Outputs []taken }
	if err = json.Unmarshal(body[:n], &answer); err != nil {
		t.Fatal(err)
	}
	rest := body[n:]
	for i := range answer.Outputs {
		o := &answer.Outputs[i]
		if o.Parameters.Size == nil {
			continue
		}
		data := rest[:*o.Parameters.Size]
		rest = rest[len(data):]
		for len(data) > 0 {
			switch o.Datatype {
			case "FP64":
				o.x = append(o.x, math.Float64frombits(binary.LittleEndian.Uint64(data)))
				data = data[8:]
			case "BOOL":
				o.x = append(o.x, float64(data[0]))
				data = data[1:]
			case "BYTES":
				size := binary.LittleEndian.Uint32(data)
				o.text = append(o.text, string(data[4:4+size]))
				data = data[4+size:]
			default:
				t.Fatalf("output %+v", o)
			}
		}
	}
	if len(rest) > 0 {
		t.Fatalf("%d bytes that are no output's", len(rest))
	}
	return answer.Outputs
}

// TestTritonRequest sends the bytes that tritonclient 2.73 sent for two samples of FP64 without any option.
func TestTritonRequest(t *testing.T) {
	request, err := os.ReadFile(filepath.Join("testdata", "tritonclient.request"))
	if err != nil {
		t.Fatal(err)
	}
	clf := iris(t)
	_, url := start(t, Config{}, saved(t, clf, "iris.skm"))
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answers := bufio.NewReader(c)
	x := []float64{5.1, 3.5, 1.4, 0.2, 6.3, 3.3, 6.0, 2.5}
	decisions, probabilities := make([]float64, 6), make([]float64, 6)
	clf.DecideBatch(decisions, x, 2, 1)
	clf.ProbabilitiesOf(probabilities, decisions, 2, 1)
	for range 2 { // over one connection
		if _, err = c.Write(request); err != nil {
			t.Fatal(err)
		}
		r, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := apart(t, r)
		if len(o) != 3 || !slices.Equal(o[0].text, []string{"1", "3"}) || !slices.Equal(o[1].x, decisions) ||
			!slices.Equal(o[2].x, probabilities) || !slices.Equal(o[2].Shape, []int{2, 3}) {
			t.Errorf("outputs %+v", o)
		}
	}
}

// post sends a JSON object and binary data.
func post(t *testing.T, url, object string, data []byte, headers ...string) *http.Response {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), "POST", url, io.MultiReader(strings.NewReader(object),
		bytes.NewReader(data)))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Inference-Header-Content-Length", fmt.Sprint(len(object)))
	q.Header.Set("Content-Type", "application/octet-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		q.Header.Set(name, value)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Body.Close() })
	return r
}

// TestBinaryDatatypes sends the same sample in every datatype, and asks for outputs in both forms.
func TestBinaryDatatypes(t *testing.T) {
	clf := ripley(t)
	_, url := start(t, Config{}, saved(t, clf, "m.skm"))
	for _, tt := range []struct {
		name string
		data any
		x    []float64
	}{
		{"FP64", []float64{-0.3, 0.7}, []float64{-0.3, 0.7}},
		{"FP32", []float32{-0.3, 0.7}, []float64{float64(float32(-0.3)), float64(float32(0.7))}},
		{"INT64", []int64{-1, 1}, []float64{-1, 1}}, {"INT32", []int32{-1, 1}, []float64{-1, 1}},
		{"INT16", []int16{-1, 1}, []float64{-1, 1}}, {"INT8", []int8{-1, 1}, []float64{-1, 1}},
		{"UINT64", []uint64{0, 1}, []float64{0, 1}}, {"UINT32", []uint32{0, 1}, []float64{0, 1}},
		{"UINT16", []uint16{0, 1}, []float64{0, 1}}, {"UINT8", []uint8{0, 1}, []float64{0, 1}},
		{"BOOL", []bool{false, true}, []float64{0, 1}},
	} {
		data, err := binary.Append(nil, binary.LittleEndian, tt.data)
		if err != nil {
			t.Fatal(err)
		}
		o := apart(t, post(t, url+"/v2/models/m/infer", fmt.Sprintf(`{"inputs": [{"name": "x", "shape": [1, 2],
			"datatype": %q, "parameters": {"binary_data_size": %d}}], "parameters": {"binary_data_output": true},
			"outputs": [{"name": "decisions"}, {"name": "labels", "parameters": {"binary_data": false}}]}`, tt.name, len(data)),
			data))
		label, err := clf.Classify(tt.x)
		if err != nil {
			t.Fatal(err)
		}
		if len(o) != 2 || len(o[0].x) != 1 || o[0].x[0] != clf.Decide(tt.x) ||
			string(o[1].Data) != fmt.Sprintf("[%q]", label) {
			t.Errorf("%s: outputs %+v", tt.name, o)
		}
	}
}

// TestBinaryHostile sends binary data that are not what the object says.
func TestBinaryHostile(t *testing.T) {
	_, url := start(t, Config{}, saved(t, ripley(t), "m.skm"), saved(t, table(t), "t.skm"))
	object := func(kind, shape string, size int) string {
		return fmt.Sprintf(`{"inputs": [{"name": "x", "shape": %s, "datatype": %q, "parameters": {"binary_data_size": %d}}]}`,
			shape, kind, size)
	}
	numbers := func(v ...any) (b []byte) {
		for _, x := range v {
			b, _ = binary.Append(b, binary.LittleEndian, x)
		}
		return b
	}
	for _, tt := range []struct {
		model, object string
		data          []byte
		want          string
	}{
		{"m", object("FP64", "[1, 2]", 8), numbers(1.0), `input \"x\": found binary_data_size 8, want 8 bytes for each value`},
		{"m", object("FP64", "[1, 2]", 24), numbers(1.0, 2.0), "found binary_data_size 24, want at most the 16 bytes"},
		{"m", object("FP64", "[1, 2]", -1), nil, "found binary_data_size -1"},
		{"m", object("FP64", "[1, 2]", 16), numbers(1.0, 2.0, 3.0), "found 8 bytes after the data"},
		{"m", object("FP64", "[1, 2]", 15), numbers(1.0, 2.0)[:15], "want 8 bytes for each value"},
		{"m", object("FP64", "[4611686018427387904, 4]", 0), nil, "want 8 bytes for each value"},
		{"m", object("FP64", "[0, 2]", 0), nil, "no row"},
		{"m", object("FP64", "[9223372036854775807, 0]", 0), nil, "rows of 0 features"},
		{"m", object("FP64", "[1, 2]", 16), numbers(1.0, math.NaN()), "found NaN in row 0, feature 1 (from 0)"},
		{"m", object("FP64", "[1, 2]", 16), numbers(1.0, math.Inf(1)), "a value at number 1 (from 0) that is no finite FP64"},
		{"m", object("FP32", "[1, 2]", 8), numbers(float32(1), float32(math.Inf(-1))), "no finite FP32"},
		{"m", object("INT64", "[1, 2]", 16), numbers(int64(1), int64(math.MaxInt64)), "at most 2⁵³"},
		{"m", object("UINT64", "[1, 2]", 16), numbers(int64(1), uint64(math.MaxUint64)), "at most 2⁵³"},
		{"m", object("BYTES", "[1, 2]", 10), numbers(uint32(1), byte('1'), uint32(1), byte('2')), "no columns of text"},
		{"t", object("BYTES", "[1, 3]", 3), []byte{1, 0, 0}, "the end of the data in cell 0"},
		{"t", object("BYTES", "[1, 3]", 5), numbers(uint32(math.MaxUint32), byte('1')), "the end of the data in cell 0"},
		{"t", object("BYTES", "[1, 3]", 4), numbers(uint32(0)), "found 1 cells, want as many"},
		{"t", object("BYTES", "[1, 2]", 8), numbers(uint32(0), uint32(0)), "rows of 2 cells, want 3"},
		{"t", object("BYTES", "[1, 1]", 5), numbers(uint32(1), byte(0xff)), "want a line of UTF-8"},
		{"t", object("BYTES", "[1, 1]", 5), numbers(uint32(1), byte('\n')), "want a line of UTF-8"},
	} {
		r := post(t, url+"/v2/models/"+tt.model+"/infer", tt.object, tt.data)
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != 400 || !strings.Contains(string(text), tt.want) {
			t.Errorf("%s %s: status %d, %v, %s; want %q", tt.model, tt.object, r.StatusCode, err, text, tt.want)
		}
	}
}

// table is a model of a table with a column of words, one of yes and no, and one of numbers with a missing cell.
func table(t testing.TB) *model.Classifier {
	t.Helper()
	var b strings.Builder
	b.WriteString("town,member,age,bought\n")
	for i := range 60 {
		age := fmt.Sprint(20 + i*7%50)
		if i == 13 {
			age = ""
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s\n", []string{"Ulm", "Bonn, old", "a \"b\""}[i%3], []string{"no", "yes"}[i/3%2], age,
			[]string{"u", "v"}[i*i%7%2])
	}
	text := strings.ReplaceAll(strings.ReplaceAll(b.String(), "Bonn, old", `"Bonn, old"`), `a "b"`, `"a ""b"""`)
	set, err := dataset.ReadCSV(strings.NewReader(text), "f", dataset.Options{Guess: true, Missing: dataset.MissingMean})
	if err != nil {
		t.Fatal(err)
	}
	clf, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{C: 1}, Scale: dataset.ScaleZ})
	if err != nil {
		t.Fatal(err)
	}
	return clf
}

// TestColumns: a model of a table answers columns as it answers the CSV text of the same cells.
func TestColumns(t *testing.T) {
	_, url := start(t, Config{}, saved(t, table(t), "t.skm"))
	var want predictAnswer
	object(t, &want, "POST", url+"/predict", "town,member,age\n\"Bonn, old\",yes,33\n\"a \"\"b\"\"\",no,\nnew,yes,41\n",
		"Content-Type: text/csv", "Accept: application/json")
	var cells []byte
	towns := []string{"Bonn, old", `a "b"`, "new"}
	for _, town := range towns {
		cells = append(binary.LittleEndian.AppendUint32(cells, uint32(len(town))), town...)
	}
	ages, err := binary.Append(nil, binary.LittleEndian, []float32{33, float32(math.NaN()), 41})
	if err != nil {
		t.Fatal(err)
	}
	const town, age = `{"name": "town", "shape": [3, 1], "datatype": "BYTES", %s}`, `{"name": "age", "shape": [3], %s}`
	names, err := json.Marshal(towns)
	if err != nil {
		t.Fatal(err)
	}
	sized := func(n int) string { return fmt.Sprintf(`"parameters": {"binary_data_size": %d}`, n) }
	member := func(data string) string {
		return `{"name": "member", "shape": [3], "datatype": "` + data + `}`
	}
	for _, tt := range []struct {
		inputs string
		data   []byte
	}{
		{fmt.Sprintf(town, sized(len(cells))) + "," + fmt.Sprintf(age, `"datatype": "FP32", `+sized(len(ages))) + "," +
			member(`BOOL", `+sized(3)), slices.Concat(cells, ages, []byte{1, 0, 1})},
		{member(`BYTES", "data": ["yes", "no", "yes"]`) + "," + fmt.Sprintf(age, `"datatype": "BYTES", "data": ["33", "", "41"]`) +
			"," + fmt.Sprintf(town, `"data": `+string(names)), nil},
		{member(`BOOL", "data": [true, false, true]`) + "," + fmt.Sprintf(age, `"datatype": "BYTES", "data": ["33", null, "41"]`) +
			"," + fmt.Sprintf(town, `"data": `+string(names)), nil},
		{`{"name": "all", "shape": [3, 3], "datatype": "BYTES", "data": [["Bonn, old", "yes", "33"], ["a \"b\"", "no", ""],
			["new", "yes", "41"]]}`, nil},
	} {
		o := apart(t, post(t, url+"/v2/models/t/infer", `{"inputs": [`+tt.inputs+
			`], "parameters": {"binary_data_output": true}}`, tt.data))
		if len(o) != 2 || !slices.Equal(o[0].text, want.Labels) || !slices.Equal(o[1].x, slices.Concat(want.Decisions...)) {
			t.Errorf("%s: outputs %+v, want %+v", tt.inputs, o, want)
		}
	}
	for inputs, message := range map[string]string{
		`{"name": "town", "shape": [1], "datatype": "BYTES", "data": ["Ulm"]}`:                                             "no column",
		`{"name": "city", "shape": [1], "datatype": "BYTES", "data": ["Ulm"]}`:                                             "rows of 1 cells, want 3",
		member(`BYTES", "data": ["yes", "no", "yes"]`) + `,` + member(`BYTES", "data": ["a", "b", "c"]`):                   `\"member\" twice`,
		member(`BYTES", "data": ["yes", "no", "yes"]`) + `,{"name": "age", "shape": [1], "datatype": "FP64", "data": [1]}`: "want 3 rows",
		`{"name": "all", "shape": [2, 3], "datatype": "BYTES", "data": ["Ulm", "yes", "1", "Ulm", "no", "x"]}`:             "row 1 (from 0): found \\\"x\\\" in column \\\"age\\\"",
		`{"name": "all", "shape": [1, 3], "datatype": "BYTES", "data": [1, 2, 3]}`:                                         "want text",
	} {
		if status, text := ask(t, "POST", url+"/v2/models/t/infer", `{"inputs": [`+inputs+`]}`); status != 400 ||
			!strings.Contains(text, message) {
			t.Errorf("%s: status %d, %s, want %q", inputs, status, text, message)
		}
	}
	if _, text := ask(t, "POST", url+"/v2/models/t/infer", `{"inputs": [{"name": "all", "shape": [1, 3],
		"datatype": "BYTES", "data": ["x", "y", "1"]}]}`); !strings.Contains(text, `"parameters":{"unknown":2}`) {
		t.Errorf("two new words: %s", text)
	}
	_, text := ask(t, "GET", url+"/v2/models/t", "")
	if !strings.Contains(text, `"columns":[{"name":"town","datatype":"BYTES","shape":[-1]},`+
		`{"name":"member","datatype":"BYTES","shape":[-1]},{"name":"age","datatype":"FP64","shape":[-1]}]`) {
		t.Errorf("metadata %s", text)
	}
}

// TestRecords: it answers rows of JSON, as objects and as arrays, as it answers the CSV text of the same cells.
func TestRecords(t *testing.T) {
	_, url := start(t, Config{}, saved(t, table(t), "t.skm"), saved(t, ripley(t), "m.skm"))
	var want predictAnswer
	object(t, &want, "POST", url+"/predict/t", "town,member,age\n\"Bonn, old\",yes,33\n\"a \"\"b\"\"\",no,\nnew,,41\n",
		"Content-Type: text/csv", "Accept: application/json")
	for _, rows := range []string{
		`{"town": "Bonn, old", "member": true, "age": 33}, {"age": null, "member": "no", "town": "a \"b\""}, {"age": "41", "town": "new"}`,
		`["Bonn, old", true, 33], ["a \"b\"", false, null], ["new", null, 41.0]`,
		`["Bonn, old", "yes", "33"], ["a \"b\"", "no", ""], ["new", "", "41"]`,
	} {
		var got predictAnswer
		object(t, &got, "POST", url+"/predict/t", `{"rows": [`+rows+`]}`)
		if !slices.Equal(got.Labels, want.Labels) || !slices.Equal(slices.Concat(got.Decisions...),
			slices.Concat(want.Decisions...)) || got.notes != want.notes || got.notes != (notes{Unknown: 1, Filled: 2}) {
			t.Errorf("%s: answer %+v, want %+v", rows, got, want)
		}
	}
	many := strings.Repeat(`{"age": 1, "member": "no", "town": "Ulm"},`, maxNumbers/3+1)
	for rows, message := range map[string]string{
		`{"age": 1}`: "no column",
		`{"age": 1, "city": "Ulm", "town": "Ulm"}`:    `unknown column \"city\"`,
		`{"age": 1, "AGE": 2}`:                        "AGE",
		`{"age": [1], "member": "no", "town": "Ulm"}`: "found an array or an object",
		`{"age": 1e999, "member": "no", "town": "U"}`: "want a finite number",
		`{"age": "x", "member": "no", "town": "Ulm"}`: `row 0 (from 0): found \"x\" in column \"age\"`,
		`["Ulm", "yes"]`:                              "rows of 2 cells, want 3",
		`["Ulm", "yes", 3], ["Ulm", "yes"]`:           "row 1 (from 0): found no 3 cells",
		`["Ulm", "yes", 3], {"age": 1}`:               "row 1 (from 0)",
		`{"age": 1}, ["Ulm", "yes", 3]`:               "want",
		`[1, 2]`:                                      "rows of 2 features",
		`{}`:                                          "want",
		many[:len(many)-1]:                            "at most",
	} {
		if status, text := ask(t, "POST", url+"/predict/t", `{"rows": [`+rows+`]}`); status < 400 || status > 499 ||
			!strings.Contains(text, message) {
			t.Errorf("%.99s: status %d, %s, want %q", rows, status, text, message)
		}
	}
	status, text := ask(t, "POST", url+"/predict/m", `{"rows": [{"x": 1}]}`)
	if status != 400 || !strings.Contains(text, "number") {
		t.Errorf("objects for a model without columns: status %d, %s", status, text)
	}
}

// TestTritonClient runs tritonclient itself where SPARSEKM_TRITON is a Python that has it.
func TestTritonClient(t *testing.T) {
	python := os.Getenv("SPARSEKM_TRITON")
	if python == "" {
		t.Skip("SPARSEKM_TRITON names no Python with tritonclient[http]")
	}
	_, url := start(t, Config{}, saved(t, iris(t), "iris.skm"), saved(t, table(t), "t.skm"))
	out, err := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "client.py"),
		strings.TrimPrefix(url, "http://")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCompression: requests and answers may be compressed, and a request may not expand beyond its limit.
func TestCompression(t *testing.T) {
	_, url := start(t, Config{MaxBody: 1 << 20}, saved(t, ripley(t), "m.skm"))
	rows := `{"rows": [[0.25, 0.75]` + strings.Repeat(",[0.25, 0.75]", 999) + "]}"
	_, want := ask(t, "POST", url+"/predict", rows, "Accept-Encoding: identity")
	packed := func(coding, text string) []byte {
		var b bytes.Buffer
		w := io.WriteCloser(zlib.NewWriter(&b))
		if coding == "gzip" {
			w = gzip.NewWriter(&b)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	send := func(body []byte, headers ...string) (*http.Response, string) {
		r := post(t, url+"/predict", "", body, append(headers, "Content-Type: application/json")...)
		in, err := expand(r.Body, r.Header.Get("Content-Encoding"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		return r, string(text)
	}
	for _, coding := range []string{"gzip", "deflate"} {
		body := packed(coding, rows)
		r, text := send(body, "Content-Encoding: "+coding, "Accept-Encoding: "+coding)
		if r.Header.Get("Content-Encoding") != coding || text != want {
			t.Errorf("%s: status %d, %v, %.100s", coding, r.StatusCode, r.Header, text)
		}
		if _, text = send(body[:len(body)-9], "Content-Encoding: "+coding); !strings.Contains(text, "ended before its body") {
			t.Errorf("%s, cut short: %.100s", coding, text)
		}
		bomb := packed(coding, rows+strings.Repeat(" ", 64<<20))
		if r, text = send(bomb, "Content-Encoding: "+coding); r.StatusCode != 413 {
			t.Errorf("%d bytes of %s that expand to 64 MiB: status %d, %.100s", len(bomb), coding, r.StatusCode, text)
		}
	}
	for accept, coding := range map[string]string{
		"gzip;q=0, deflate;q=0.5": "deflate", "gzip; q=0.0": "", "br, *": "", "GZIP;q=1": "gzip", "deflate, gzip": "gzip",
	} {
		if r, text := send([]byte(rows), "Accept-Encoding: "+accept); text != want ||
			r.Header.Get("Content-Encoding") != coding {
			t.Errorf("%q: %v", accept, r.Header)
		}
	}
	if r, _ := send([]byte(`{"rows": [[0, 0]]}`), "Accept-Encoding: gzip"); r.Header.Get("Content-Encoding") != "" {
		t.Errorf("a short answer: %v", r.Header)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/density"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// trained trains on one of the repository's sets.
func trained(t testing.TB, set string, o sparsekm.Options) *model.Classifier {
	t.Helper()
	points, err := dataset.ReadFile(testutil.Testdata(t, set), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clf, _, err := sparsekm.Train(t.Context(), points, o)
	if err != nil {
		t.Fatal(err)
	}
	return clf
}

// saved writes a model to a folder of the test's own.
func saved(t testing.TB, clf *model.Classifier, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := clf.Save(file, model.SKM); err != nil {
		t.Fatal(err)
	}
	return file
}

// ripley is a small model of two classes and two features.
func ripley(t testing.TB) *model.Classifier {
	return trained(t, "ripley.train.libsvm", sparsekm.Options{Kernel: gram.RBF(2), Trainer: ssvc.A{C: 1}})
}

// iris has three classes, scaling and probabilities.
func iris(t testing.TB) *model.Classifier {
	return trained(t, "iris.libsvm", sparsekm.Options{Trainer: svc.Trainer{C: 1}, Scale: dataset.ScaleZ, Calibrate: 3})
}

// values is a model of real numbers.
func values(t testing.TB) *model.Classifier {
	clf, _, err := sparsekm.Train(t.Context(), dataset.Friedman(1, 60, 1, 1), sparsekm.Options{Trainer: svc.SVR{C: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return clf
}

// start serves models under the names of their files.
func start(t testing.TB, c Config, files ...string) (*Server, string) {
	t.Helper()
	s, err := newServer(files, c)
	if err != nil {
		t.Fatal(err)
	}
	l := listener(t)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		l.Close()
		<-ended
	})
	return s, "http://" + l.Addr().String()
}

// ask sends a request with the headers "name: value", and returns status and body.
func ask(t testing.TB, method, url, body string, headers ...string) (int, string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		q.Header.Set(name, value)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// object asks for an answer of status 200, and reads it.
func object(t testing.TB, v any, method, url, body string, headers ...string) {
	t.Helper()
	status, text := ask(t, method, url, body, headers...)
	if status != http.StatusOK {
		t.Fatalf("%s %s: status %d, %s", method, url, status, text)
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%s %s: %v in %s", method, url, err, text)
	}
}

// output is one of the protocol's, with data of either type.
type output struct {
	Name, Datatype string
	Shape          []int
	Data           []any
}

// The answers of the protocol are the model's own, bit for bit, for flat and nested data, one input and every
// selection of outputs.
func TestInfer(t *testing.T) {
	clf, set := iris(t), []float64{5.1, 3.5, 1.4, 0.2, 6.3, 3.3, 6, 2.5, 5.7, 2.8, 4.1, 1.3}
	_, url := start(t, Config{}, saved(t, clf, "iris.skm"))
	m, k := clf.NumSubmodels(), clf.NumClasses()
	decisions, probabilities := make([]float64, 3*m), make([]float64, 3*k)
	clf.DecideBatch(decisions, set, 3, 1)
	clf.ProbabilitiesOf(probabilities, decisions, 3, 1)
	labels, err := clf.ClassifyBatch(set, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	nested, err := json.Marshal(slices.Collect(slices.Chunk(set, 4)))
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{string(flat), string(nested)} {
		var got struct {
			Model   string `json:"model_name"`
			ID      string `json:"id"`
			Outputs []output
		}
		object(t, &got, "POST", url+"/v2/models/iris/infer", `{"id": "7", "inputs": [{"name": "x", "shape": [3, 4],
			"datatype": "FP64", "data": `+data+`, "parameters": {"content_type": "np"}}]}`, "Content-Type: application/json")
		if got.Model != "iris" || got.ID != "7" || len(got.Outputs) != 3 {
			t.Fatalf("answer %+v", got)
		}
		for i, want := range []output{
			{"labels", "BYTES", []int{3}, anys(labels)},
			{"decisions", "FP64", []int{3, m}, anys(decisions)},
			{"probabilities", "FP64", []int{3, k}, anys(probabilities)},
		} {
			if fmt.Sprint(got.Outputs[i]) != fmt.Sprint(want) {
				t.Errorf("found %v, want %v", got.Outputs[i], want)
			}
		}
	}
	var two struct{ Outputs []output }
	object(t, &two, "POST", url+"/v2/models/iris/infer", `{"outputs": [{"name": "probabilities"}, {"name": "labels"}],
		"inputs": [{"name": "x", "shape": [3, 4], "datatype": "FP64", "data": `+string(flat)+`}]}`)
	if len(two.Outputs) != 2 || two.Outputs[0].Name != "probabilities" || two.Outputs[1].Name != "labels" {
		t.Errorf("outputs %v", two.Outputs)
	}
}

func anys[T any](v []T) []any {
	a := make([]any, len(v))
	for i := range v {
		a[i] = v[i]
	}
	return a
}

// FP32 is what a client's float32 has, and not the digits that it is written with.
func TestInferFP32(t *testing.T) {
	clf := ripley(t)
	_, url := start(t, Config{}, saved(t, clf, "m.skm"))
	var got struct{ Outputs []output }
	object(t, &got, "POST", url+"/v2/models/m/infer",
		`{"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [0.1, 0.7]}]}`)
	want := clf.Decide([]float64{float64(float32(0.1)), float64(float32(0.7))})
	testutil.Near(t, "decision", got.Outputs[1].Data[0].(float64), want, 0)
	if want == clf.Decide([]float64{0.1, 0.7}) {
		t.Error("the sample does not tell FP32 from FP64")
	}
}

// What describes server and models has the protocol's names, and metadata says the shapes that infer has.
func TestMetadata(t *testing.T) {
	s, url := start(t, Config{Version: "v1"}, saved(t, iris(t), "iris.skm"), "f="+saved(t, values(t), "x.skm"))
	version := s.models["iris"].now.Load().id()
	for path, want := range map[string]string{
		"/v2":              `{"extensions":["binary_tensor_data","model_configuration"],"name":"sparsekm","version":"v1"}`,
		"/v2/health/live":  `{"live":true}`,
		"/v2/health/ready": `{"ready":true}`,
		"/healthz":         `{"live":true}`,
		"/livez":           `{"live":true}`,
		"/readyz":          `{"ready":true}`,
		"/v1/models":       `{"models":["iris","f"]}`,
		"/v2/models":       `{"models":["iris","f"]}`,
		"/v1/models/iris":  `{"name":"iris","ready":true}`,
		"/v2/models/iris": `{"name":"iris","versions":["1","` + version + `"],"platform":"sparsekm",` +
			`"inputs":[{"name":"rows","datatype":"FP64","shape":[-1,4]}],"outputs":[{"name":"labels","datatype":"BYTES",` +
			`"shape":[-1]},{"name":"decisions","datatype":"FP64","shape":[-1,3]},` +
			`{"name":"probabilities","datatype":"FP64","shape":[-1,3]}],"labels":["1","2","3"]}`,
		"/v2/models/iris/config": `{"name":"iris","platform":"sparsekm","backend":"sparsekm","max_batch_size":0,` +
			`"input":[{"name":"rows","data_type":"TYPE_FP64","dims":[-1,4]}],"output":[` +
			`{"name":"labels","data_type":"TYPE_STRING","dims":[-1]},{"name":"decisions","data_type":"TYPE_FP64","dims":[-1,3]},` +
			`{"name":"probabilities","data_type":"TYPE_FP64","dims":[-1,3]}]}`,
		"/v2/models/iris/ready":                          `{"name":"iris","ready":true}`,
		"/v2/models/iris/versions/" + version + "/ready": `{"name":"iris","ready":true}`,
		"/v2/models/iris/versions/1/ready":               `{"name":"iris","ready":true}`,
	} {
		if status, text := ask(t, "GET", url+path, ""); status != 200 || strings.TrimSpace(text) != want {
			t.Errorf("%s: status %d, %s, want %s", path, status, text, want)
		}
	}
	want := `[{"name":"iris","version":"` + version + `","state":"READY"},{"name":"f","version":"` +
		s.models["f"].now.Load().id() + `","state":"READY"}]`
	if status, text := ask(t, "POST", url+"/v2/repository/index", ""); status != 200 || strings.TrimSpace(text) != want {
		t.Errorf("index: status %d, %s, want %s", status, text, want)
	}
	if status, text := ask(t, "GET", url+"/v2/models/f", ""); status != 200 || !strings.Contains(text,
		`"outputs":[{"name":"values","datatype":"FP64","shape":[-1]}]}`) {
		t.Errorf("model of values: status %d, %s", status, text)
	}
	if status, _ := ask(t, "HEAD", url+"/v2", ""); status != 200 {
		t.Errorf("HEAD: status %d", status)
	}
	s.stopping.Store(true)
	for _, path := range []string{"/v2/health/ready", "/readyz", "/v2/models/iris/ready", "/v1/models/iris"} {
		if status, _ := ask(t, "GET", url+path, ""); status != http.StatusServiceUnavailable {
			t.Errorf("%s of a server that stops: status %d", path, status)
		}
	}
}

// The plain form takes JSON and CSV and gives either, with the model's own numbers.
func TestPredict(t *testing.T) {
	clf := iris(t)
	_, url := start(t, Config{}, saved(t, clf, "iris.skm"))
	x := []float64{5.1, 3.5, 1.4, 0.2, 6.3, 3.3, 6, 2.5}
	decisions, probabilities := make([]float64, 6), make([]float64, 6)
	clf.DecideBatch(decisions, x, 2, 1)
	clf.ProbabilitiesOf(probabilities, decisions, 2, 1)
	const text = "5.1,3.5,1.4,0.2\n6.3,3.3,6,2.5\n"
	for _, q := range [][]string{
		{`{"rows": [[5.1,3.5,1.4,0.2], [6.3, 3.3, 6, 2.5]]}`},
		{text, "Content-Type: text/csv; charset=utf-8", "Accept: application/json"},
	} {
		var got predictAnswer
		object(t, &got, "POST", url+"/predict", q[0], q[1:]...)
		if got.Model != "iris" || !slices.Equal(got.Labels, []string{"1", "3"}) {
			t.Errorf("answer %+v", got)
		}
		testutil.NearAll(t, "decisions", slices.Concat(got.Decisions...), decisions, 0)
		testutil.NearAll(t, "probabilities", slices.Concat(got.Probabilities...), probabilities, 0)
	}
	for _, q := range [][]string{
		{text, "Content-Type: text/csv"},
		{"a,b,c,d,label\n5.1,3.5,1.4,0.2,9\n6.3,3.3,6,2.5,9\n", "Content-Type: text/csv"},
		{`{"rows": [[5.1,3.5,1.4,0.2], [6.3, 3.3, 6, 2.5]]}`, "Accept: text/csv"},
	} {
		status, text := ask(t, "POST", url+"/predict/iris", q[0], q[1:]...)
		lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if status != 200 || err != nil || len(lines) != 3 || lines[0][1] != "decision 0 for 1" ||
			lines[0][4] != "probability of 1" || lines[2][0] != "3" ||
			lines[2][2] != strconv.FormatFloat(decisions[4], 'g', -1, 64) ||
			lines[2][6] != strconv.FormatFloat(probabilities[5], 'g', -1, 64) {
			t.Errorf("%q: status %d, %v, %q", q, status, err, text)
		}
	}
}

// A model of values has these alone.
func TestValues(t *testing.T) {
	clf := values(t)
	_, url := start(t, Config{}, saved(t, clf, "f.skm"))
	x := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}
	var got predictAnswer
	object(t, &got, "POST", url+"/predict", `{"rows": [[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1]]}`)
	if got.Labels != nil || got.Decisions != nil || len(got.Values) != 1 {
		t.Fatalf("answer %+v", got)
	}
	testutil.Near(t, "value", got.Values[0], clf.Decide(x), 0)
	status, text := ask(t, "POST", url+"/predict", "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1", "Content-Type: text/csv")
	if want := fmt.Sprintf("value\n%v\n", clf.Decide(x)); status != 200 || text != want {
		t.Errorf("status %d, %q, want %q", status, text, want)
	}
}

// A model of a density gives its logarithm, as predict does.
func TestDensity(t *testing.T) {
	clf, _, err := sparsekm.Train(t.Context(), dataset.Ringnorm(50, 1), sparsekm.Options{Trainer: density.SKDE{}})
	if err != nil {
		t.Fatal(err)
	}
	_, url := start(t, Config{}, saved(t, clf, "f.skm"))
	var got predictAnswer
	object(t, &got, "POST", url+"/predict", `{"rows": [[`+strings.Repeat("0.5,", 19)+`0.5]]}`)
	x := make([]float64, 20)
	for i := range x {
		x[i] = 0.5
	}
	testutil.Near(t, "log density", got.Values[0], math.Log(clf.Decide(x)), 0)
}

// The figures count what was asked, and name the file's checksum.
func TestMetrics(t *testing.T) {
	s, url := start(t, Config{}, saved(t, ripley(t), `a"b.skm`))
	for range 3 {
		ask(t, "POST", url+"/predict", `{"rows": [[0, 0], [0, 1]]}`)
	}
	ask(t, "POST", url+"/predict", `{"rows": [[0]]}`)
	ask(t, "GET", url+"/no/such/page", "")
	_, text := ask(t, "GET", url+"/metrics", "")
	for _, want := range []string{
		"sparsekm_requests_total{path=\"/predict\",code=\"200\"} 3\n",
		"sparsekm_requests_total{path=\"/predict\",code=\"400\"} 1\n",
		"sparsekm_requests_total{path=\"/\",code=\"404\"} 1\n",
		"sparsekm_request_seconds_bucket{le=\"10\"} 4\n", "sparsekm_request_seconds_bucket{le=\"+Inf\"} 4\n",
		"sparsekm_request_seconds_count 4\n", "sparsekm_requests_running 0\n",
		`sparsekm_rows_total{model="a\"b"} 6` + "\n",
		`sparsekm_model_vectors{model="a\"b"} 4` + "\n",
		fmt.Sprintf("sparsekm_model_info{model=\"a\\\"b\",sha256=\"%x\"} 1\n", s.models[`a"b`].now.Load().sum),
		"# TYPE sparsekm_request_seconds histogram\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	last := int64(0)
	for line := range strings.Lines(text) {
		if _, value, ok := strings.Cut(line, "_bucket{"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(value[strings.Index(value, "}")+1:]), 10, 64)
			if err != nil || n < last {
				t.Errorf("%s after %d: %v", line, last, err)
			}
			last = n
		}
	}
}

// Requests that run when the server is told to stop are answered; later ones are not taken.
func TestGracefulStop(t *testing.T) {
	s, err := newServer([]string{saved(t, ripley(t), "m.skm")}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	l := listener(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	body, rest := io.Pipe()
	q, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+l.Addr().String()+"/predict", body)
	if err != nil {
		t.Fatal(err)
	}
	answer := make(chan string, 1)
	go func() {
		r, failed := http.DefaultClient.Do(q)
		if failed != nil {
			answer <- failed.Error()
			return
		}
		defer r.Body.Close()
		var b bytes.Buffer
		_, _ = b.ReadFrom(r.Body)
		answer <- fmt.Sprint(r.StatusCode, " ", b.String())
	}()
	if _, err = io.WriteString(rest, `{"rows": [[0,`); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return !s.idle() })
	stop()
	waitFor(t, s.stopping.Load)
	if _, err = io.WriteString(rest, `0]]}`); err != nil {
		t.Fatal(err)
	}
	rest.Close()
	if text := <-answer; !strings.HasPrefix(text, "200 {") {
		t.Errorf("the request that ran: %s", text)
	}
	if err = <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	r, err := http.Get("http://" + l.Addr().String() + "/v2")
	if err == nil {
		r.Body.Close()
		t.Error("a request after the stop is answered")
	}
}

// TestUnknownWords: a model of a table with dates and words answers CSV by its columns, and counts words that it does
// not know.
func TestUnknownWords(t *testing.T) {
	var b strings.Builder
	b.WriteString("when,sex,x,y\n")
	for i := range 30 {
		fmt.Fprintf(&b, "2024-01-%02d,%s,%d,%s\n", 1+i%9, []string{"f", "m"}[i/2%2], i*i%11, []string{"u", "v"}[i%2])
	}
	set, err := dataset.ReadCSV(strings.NewReader(b.String()), "f", dataset.Options{Guess: true, Missing: dataset.MissingMark})
	if err != nil {
		t.Fatal(err)
	}
	clf, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{C: 1}, Scale: dataset.ScaleZ})
	if err != nil {
		t.Fatal(err)
	}
	_, url := start(t, Config{}, saved(t, clf, "m.skm"))
	var got predictAnswer
	object(t, &got, "POST", url+"/predict", "x,sex,when\n3,x,2024-01-05T12:00\n,,\n", "Content-Type: text/csv",
		"Accept: application/json")
	const noon = 19727.5 // of January 5, a Friday
	f := clf.Decide([]float64{noon, 5, 0.5, 3})
	if got.notes != (notes{Unknown: 1, Filled: 3}) || len(got.Decisions) != 2 {
		t.Fatalf("answer %+v", got)
	}
	testutil.Near(t, "decision", got.Decisions[0][0], f, 0)
}

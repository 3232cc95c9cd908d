package main

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// figures are what /metrics shows of the requests.
type figures struct {
	mu       sync.Mutex
	requests map[request]int64
	buckets  []int64 // requests for predictions of up to bounds[i] seconds and more than bounds[i-1]
	seconds  float64 // of all
	predicts map[string]int64
}

// request is a kind of request.
type request struct {
	path   string // as it was declared
	status int
}

// bounds are those of the latency histogram, in seconds.
var bounds = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

func newFigures() *figures {
	return &figures{requests: map[request]int64{}, buckets: make([]int64, len(bounds)+1), predicts: map[string]int64{}}
}

// count adds a request; predicts says that it is one whose time is of interest.
func (f *figures) count(path string, predicts bool, status int, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests[request{path, status}]++
	if predicts {
		pos, _ := slices.BinarySearch(bounds, took.Seconds())
		f.buckets[pos]++
		f.seconds += took.Seconds()
	}
}

// rows adds rows that were predicted.
func (f *figures) rows(model string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.predicts[model] += int64(n)
}

// metrics is the text that Prometheus reads.
func (s *Server) metrics(*http.Request) (any, error) {
	var b strings.Builder
	about := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	f := s.figures
	f.mu.Lock()
	defer f.mu.Unlock()
	about("sparsekm_requests_total", "counter", "Requests that were answered, by path and status.")
	for _, r := range slices.SortedFunc(maps.Keys(f.requests), func(x, y request) int {
		return cmp.Or(strings.Compare(x.path, y.path), x.status-y.status)
	}) {
		fmt.Fprintf(&b, "sparsekm_requests_total{path=%s,code=\"%d\"} %d\n", quote(r.path), r.status, f.requests[r])
	}
	about("sparsekm_request_seconds", "histogram", "Seconds from a request for predictions to the end of its answer.")
	total := int64(0)
	for i, n := range f.buckets {
		total += n
		bound := "+Inf"
		if i < len(bounds) {
			bound = number(bounds[i])
		}
		fmt.Fprintf(&b, "sparsekm_request_seconds_bucket{le=%q} %d\n", bound, total)
	}
	fmt.Fprintf(&b, "sparsekm_request_seconds_sum %s\nsparsekm_request_seconds_count %d\n", number(f.seconds), total)
	about("sparsekm_requests_running", "gauge", "Requests for predictions that are worked on.")
	fmt.Fprintf(&b, "sparsekm_requests_running %d\n", s.clients.busy())
	for _, g := range []struct {
		name, kind, help string
		value            func(m *served, v *version) string
	}{
		{"rows_total", "counter", "Rows that were predicted.",
			func(m *served, _ *version) string { return strconv.FormatInt(f.predicts[m.name], 10) }},
		{"reload_failures_total", "counter", "Changes of the file that gave no model.",
			func(m *served, _ *version) string { return strconv.FormatInt(m.failures.Load(), 10) }},
		{"model_loaded_timestamp_seconds", "gauge", "When the model was read.",
			func(_ *served, v *version) string { return number(float64(v.at.UnixMilli()) / 1000) }},
		{"model_load_seconds", "gauge", "What reading it took.",
			func(_ *served, v *version) string { return number(v.took.Seconds()) }},
		{"model_vectors", "gauge", "Vectors of the model.",
			func(_ *served, v *version) string { return strconv.Itoa(v.clf.NumVectors()) }},
	} {
		about("sparsekm_"+g.name, g.kind, g.help)
		for _, name := range s.names {
			m := s.models[name]
			fmt.Fprintf(&b, "sparsekm_%s{model=%s} %s\n", g.name, quote(name), g.value(m, m.now.Load()))
		}
	}
	about("sparsekm_model_info", "gauge", "SHA-256 of the file that the model was read from.")
	for _, name := range s.names {
		fmt.Fprintf(&b, "sparsekm_model_info{model=%s,sha256=\"%x\"} 1\n", quote(name), s.models[name].now.Load().sum)
	}
	for _, g := range processFigures() {
		about(g.name, g.kind, g.help)
		fmt.Fprintf(&b, "%s %s\n", g.name, number(g.value))
	}
	return raw{"text/plain; version=0.0.4; charset=utf-8", []byte(b.String()), 0}, nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// quote writes a label's value: backslash, quote and line feed have a backslash before them, and nothing else.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/model"
	_ "github.com/sparsekm/sparsekm/model/importers/libsvm"
)

func listener(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// waitFor waits until something holds, as it soon does.
func waitFor(t testing.TB, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("waited for a minute")
		}
	}
}

// Whatever is wrong with a request is said in a JSON object, with the status that it has.
func TestHostile(t *testing.T) {
	_, url := start(t, Config{MaxBody: 64 << 10}, saved(t, ripley(t), "m.skm"), "n="+saved(t, ripley(t), "m.skm"))
	const infer, predict = "POST /v2/models/m/infer", "POST /predict/m"
	input := func(shape, kind, data string) string {
		return `{"inputs": [{"name": "x", "shape": ` + shape + `, "datatype": "` + kind + `", "data": ` + data + `}]}`
	}
	for _, tt := range []struct {
		to, body, header string
		status           int
		want             string
	}{
		{infer, input("[2, 2]", "FP64", "[1, 2, 3]"), "", 400, "found 3 numbers"},
		{infer, input("[2, 1]", "FP64", "[1, 2]"), "", 400, "rows of 1 features, want 2"},
		{infer, input("[1, 3]", "FP64", "[1, 2, 3]"), "", 400, "rows of 3 features, want 2"},
		{infer, input("[2]", "FP64", "[1, 2]"), "", 400, "rows of 1 features, want 2"},
		{infer, input("[]", "FP64", "[1, 2]"), "", 400, "want [rows, features]"},
		{infer, input("[1, 2, 1]", "FP64", "[1, 2]"), "", 400, "want [rows, features]"},
		{infer, input("[-1, -2]", "FP64", "[1, 2]"), "", 400, "want [rows, features]"},
		{infer, input("[1.5, 2]", "FP64", "[1, 2]"), "", 400, "inputs.shape: found number 1.5, want a whole number"},
		{infer, input(`"x"`, "FP64", "[1, 2]"), "", 400, "inputs.shape: found string, want an array"},
		{infer, `{"id": 7}`, "", 400, "id: found number, want a string"},
		{infer, `{"parameters": {"binary_data_output": 1}}`, "", 400, "parameters.binary_data_output: found number, want true"},
		{infer, input("[4, 4611686018427387905]", "FP64", "[1, 2, 3, 4]"), "", 400, "found 4 numbers"}, // n·d is 4 in 64 bits
		{infer, input("[0, 2]", "FP64", "[]"), "", 400, "no row"},
		{infer, input("[0, 2]", "FP64", "[1]"), "", 400, "found 1 numbers"},
		{infer, input("[1, 0]", "FP64", "[]"), "", 400, "rows of 0 features"},
		{infer, input("[1, 2]", "FP64", "[[1, 2], [3, 4]]"), "", 400, "data of 2 rows"},
		{infer, input("[4, 1]", "FP64", "[[1, 2], [3, 4]]"), "", 400, "data of 2 rows"},
		{infer, input("[1, 2]", "INT64", "[1, 2]"), "", 200, `["1"]`},
		{infer, input("[1, 2]", "INT64", "[1, 9007199254740994]"), "", 400, "at most 2⁵³"},
		{infer, input("[1, 2]", "INT32", "[1, 2.5]"), "", 400, "found 2.5 at number 1 (from 0), want one that INT32 has"},
		{infer, input("[1, 2]", "UINT8", "[1, 256]"), "", 400, "found 256 at number 1"},
		{infer, input("[1, 2]", "BOOL", "[true, false]"), "", 200, `["`},
		{infer, input("[1, 2]", "BOOL", "[true, 2]"), "", 400, "found 2 at number 1"},
		{infer, input("[1, 2]", "FP16", "[1, 2]"), "", 400, `the datatype "FP16"`},
		{infer, input("[1, 2]", "BYTES", `["1", "2"]`), "", 400, "BYTES, want numbers: the model has no columns"},
		{infer, input("[1, 2]", "FP32", "[1e300, 2]"), "", 400, "FP32"},
		{infer, input("[1, 2]", "FP64", "[NaN, 2]"), "", 400, "invalid character 'N'"},
		{infer, input("[1, 2]", "FP64", "[null, 2]"), "", 400, "found null"},
		{infer, input("[1, 2]", "FP64", `["1", 2]`), "", 400, "want a finite number"},
		{infer, input("[1, 2]", "FP64", "[1e999, 2]"), "", 400, "found 1e999"},
		{infer, input("[1, 2]", "FP64", "[1e300, 2]"), "", 200, `["-1"]`},
		{infer, input("[1, 2]", "FP64", "null"), "", 400, "no data"},
		{infer, input("[1, 2]", "FP64", "7"), "", 400, "want an array"},
		{infer, input("[1, 2]", "FP64", "{}"), "", 400, "want an array"},
		{infer, `{"inputs": []}`, "", 400, "found 0 inputs"},
		{infer, `{}`, "", 400, "found 0 inputs"},
		{infer, `[]`, "", 400, "the request"},
		{infer, ``, "", 400, "found the end"},
		{infer, `{"inputs"`, "", 400, "found the end"},
		{infer, `{"inputs": [{"shape": [1,2], "datatype": "FP64", "data": [1,2]}], "outputs": [{"name": "z"}]}`, "", 400,
			`the output "z", want one of labels, decisions`},
		{infer, `{"inputs": [{"shape": [1,2], "datatype": "FP64", "data": [1,2],
			"parameters": {"binary_data_size": 16}}]}`, "", 400, "binary_data_size"},
		{infer, `{"inputs": [{"name": "x", "shape": [1,2], "datatype": "FP64", "parameters": {"binary_data_size": 16}}]}`, "", 400,
			"input \"x\": found binary_data_size 16, want at most the 0 bytes"},
		{infer, `{"outputs": [{"name": "labels"}, {"name": "labels"}], "inputs": [{"shape": [1,2], "datatype": "FP64",
			"data": [1,2]}]}`, "", 400, `the output "labels" twice`},
		{infer, `{"outputs": [{"name": "labels", "parameters": {"classification": 2}}], "inputs": [{"shape": [1,2],
			"datatype": "FP64", "data": [1,2]}]}`, "", 400, "the parameter classification"},
		{infer, `{"inputs": [{"shape": [1,2], "datatype": "FP64", "parameters": {"shared_memory_region": "r"}}]}`, "", 400,
			"the parameter shared_memory_region"},
		{infer, input("[1, 2]", "FP64", "[1, 2]"), "Inference-Header-Content-Length: 12", 400, "the end after 12 bytes"},
		{infer, "{}", "Inference-Header-Content-Length: 0", 400, `Inference-Header-Content-Length: found "0", want`},
		{infer, "{}", "Inference-Header-Content-Length: 3", 400, "from 1 to 2"},
		{infer, "{}", "Inference-Header-Content-Length: -9223372036854775809", 400, "from 1 to 2"},
		{infer, "{}", "Inference-Header-Content-Length: two", 400, "from 1 to 2"},
		{infer, "1,2", "Content-Type: text/csv", 415, "text/csv"},
		{infer, "1,2", "Content-Type: application/octet-stream", 415, "octet-stream"},
		{infer, strings.Repeat(" ", 65<<10), "", 413, "more than 65536 bytes"},
		{infer, input("[20000, 0]", "FP64", strings.Repeat("[", 9000)+strings.Repeat("]", 9000)), "", 400, "array in a row"},
		{"POST /v2/models/z/infer", "", "", 404, `the model "z", want one of m, n`},
		{"POST /v2/models/m/versions/2/infer", "", "", 404, `version "2" of m, want 1 or `},
		{"GET /v2/models/m/infer", "", "", 405, "want POST"},
		{"DELETE /v2/models/m", "", "", 405, "want GET"},
		{"GET /v3", "", "", 404, "/v3"},
		{"POST /predict", `{"rows": [[1, 2]]}`, "", 400, "want /predict/NAME with one of m, n"},
		{predict, `{"rows": []}`, "", 400, "want {"},
		{predict, `{"rows": [1, 2]}`, "", 400, "want {"},
		{predict, `{"rows": [[]]}`, "", 400, "rows of 0 features"},
		{predict, `{"rows": [[1, 2], [1]]}`, "", 400, "row 1 (from 0): found 1 numbers, want 2"},
		{predict, `{"rows": [[1, 2], 1]}`, "", 400, "side by side"},
		{predict, `{"rows": [1, [1, 2]]}`, "", 400, "side by side"},
		{predict, `{"row": [[1, 2]]}`, "", 400, `unknown field "row"`},
		{predict, `{"rows": [[1, 2]]} x`, "", 400, "more after the object"},
		{predict, `{"rows": [[1, 2]], "rows": [[3, 4]]}`, "", 400, `the key "rows" twice`},
		{predict, `{"rows": [[1, 2]], "Rows": [[3, 4]]}`, "", 400, `the key "Rows" twice`},
		{infer, `{"inputs": [{"shape": [1,2], "shape": [2,1], "datatype": "FP64", "data": [1,2]}]}`, "", 400, `"shape" twice`},
		{predict, `{"rows": [[1, 2]]}`, "Content-Type: ", 415, `content type ""`},
		{predict, `{"rows": [[1, 2]]}`, "Content-Encoding: br", 415, "\"br\", want gzip, deflate"},
		{predict, `{"rows": [[1, 2]]}`, "Content-Encoding: gzip, gzip", 415, "gzip, gzip"},
		{predict, `{"rows": [[1, 2]]}`, "Content-Encoding: gzip", 400, "no gzip data"},
		{predict, `{"rows": [[1, 2]]}`, "Content-Encoding: deflate", 400, "no deflate data"},
		{predict, `{"rows": [[1, 2]]}`, "Content-Type: text/html", 415, "text/html"},
		{predict, "1,2\n1,x\n", "Content-Type: text/csv", 400, "the request:2:3"},
		{predict, "1\n2\n", "Content-Type: text/csv", 400, "the request:1:1"},
		{predict, "1,2,3,4\n", "Content-Type: text/csv", 400, "rows of 3 features"},
		{predict, "", "Content-Type: text/csv", 400, "the request"},
		{predict, "1,NaN\n", "Content-Type: text/csv", 400, "the request:1:3"},
		{predict, "\x00\xff\n", "Content-Type: text/csv", 400, "the request"},
	} {
		method, path, _ := strings.Cut(tt.to, " ")
		headers := []string{"Content-Type: application/json"}
		if tt.header != "" {
			headers = append(headers, tt.header)
		}
		status, text := ask(t, method, url+path, tt.body, headers...)
		if status != tt.status || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), tt.want) ||
			status != 200 && !strings.HasPrefix(text, `{"error":"`) {
			t.Errorf("%s %.60q: status %d, %s; want %d, %q", tt.to, tt.body, status, text, tt.status, tt.want)
		}
	}
}

// Features beyond what a kernel can hold are refused, with the row.
func TestOverflow(t *testing.T) {
	const linear = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 -1\nnr_sv 1 0\nSV\n" +
		"1e10 1:1e10\n"
	file := filepath.Join(t.TempDir(), "l.model")
	if err := os.WriteFile(file, []byte(linear), 0o600); err != nil {
		t.Fatal(err)
	}
	_, url := start(t, Config{Features: 3}, file)
	if status, text := ask(t, "POST", url+"/predict", `{"rows": [[1, 0, 0], [1e300, 0, 0]]}`); status != 400 ||
		!strings.Contains(text, "for row 1 (from 0)") {
		t.Errorf("status %d, %s", status, text)
	}
	if status, text := ask(t, "POST", url+"/predict", `{"rows": [[1, 0, 0]]}`); status != 200 {
		t.Errorf("status %d, %s", status, text)
	}
}

// More predictions than there may be are refused at once, and an address has three quarters of them at most.
func TestTooMany(t *testing.T) {
	s, url := start(t, Config{Running: 4, Timeout: time.Minute}, saved(t, ripley(t), "m.skm"))
	const body = `{"rows": [[0, 0]]}`
	refused := func(why string) {
		t.Helper()
		r, err := http.Post(url+"/predict", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, _ := io.ReadAll(r.Body)
		if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") != "1" ||
			!strings.Contains(string(text), why) {
			t.Errorf("status %d, Retry-After %q, %s", r.StatusCode, r.Header.Get("Retry-After"), text)
		}
	}
	var leave []func()
	work := func(from string) {
		t.Helper()
		done, err := s.clients.work(&client{of: &s.clients, from: from}, s.config.Running)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, done)
	}
	for range 3 {
		work("127.0.0.1/32")
	}
	refused("3 of 4 requests that may be worked on are of your address")
	work("192.0.2.1/32")
	refused("4 requests are worked on")
	if code, _ := ask(t, "GET", url+"/v2/health/live", ""); code != 200 {
		t.Errorf("the server is not alive: status %d", code)
	}
	for _, done := range leave {
		done()
	}
	if code, text := ask(t, "POST", url+"/predict", body); code != 200 {
		t.Errorf("status %d, %s", code, text)
	}
}

// TestSlowClients: clients that send nothing, a part of a header or of a body, or do not read, have all connections and
// all memory. A good client of the same address is answered every time, long before the others' time is over.
func TestSlowClients(t *testing.T) {
	for name, c := range map[string]Config{
		"connections": {Connections: 8, Timeout: time.Minute},
		"memory":      {Memory: 3 << 20, Timeout: time.Minute},
	} {
		s, url := start(t, c, saved(t, ripley(t), "m.skm"))
		body := `{"rows": [[0,0]` + strings.Repeat(",[0,0]", 2000) + "]}"
		for i := range 24 {
			slow, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer slow.Close()
			_ = slow.(*net.TCPConn).SetReadBuffer(4096)
			switch i % 4 {
			case 1:
				fmt.Fprint(slow, "POST /predict HTTP/1.1\r\nHo")
			case 2:
				fmt.Fprintf(slow, "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n%s",
					strings.Repeat(" ", 300_000))
			case 3:
				for range 20 { // answers that nobody reads
					fmt.Fprintf(slow, "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
				}
			}
		}
		time.Sleep(patience)
		for i := range 20 {
			r, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: i%2 == 0}}).Post(url+"/predict",
				"application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r.Body)
			r.Body.Close()
			if err != nil || r.StatusCode != 200 {
				t.Fatalf("%s: good client %d: status %d, %v, %.200s", name, i, r.StatusCode, err, text)
			}
		}
		s.clients.mu.Lock()
		if n := len(s.clients.open); n > s.config.Connections {
			t.Errorf("%s: %d connections, want at most %d", name, n, s.config.Connections)
		}
		s.clients.mu.Unlock()
	}
}

// TestClose: the address with most loses first, then who waited longest; never a prediction.
func TestClose(t *testing.T) {
	s := &clients{open: map[*client]bool{}}
	add := func(from string, seconds, bytes int64, working bool) *client {
		conn, other := net.Pipe()
		t.Cleanup(func() { other.Close() })
		c := &client{Conn: conn, of: s, from: from, since: time.Now().Add(-time.Duration(seconds) * time.Second), bytes: bytes,
			working: working}
		s.open[c] = true
		s.bytes += bytes
		return c
	}
	good := add("a", 100, 5, false)
	works := add("b", 90, 5, true)
	old, young := add("b", 50, 5, false), add("b", 20, 5, false)
	newcomer := add("a", 0, 0, false)
	for i, want := range []*client{old, young, good, nil} {
		if ok := s.close(newcomer, func(c *client) int64 { return c.bytes }, time.Second); ok != (want != nil) ||
			want != nil && !want.closed {
			t.Fatalf("step %d: another one was closed", i)
		}
	}
	if works.closed || newcomer.closed || s.bytes != 5 || len(s.open) != 2 {
		t.Errorf("%d bytes, %d clients", s.bytes, len(s.open))
	}
	add("a", 0, 5, false)
	if s.close(newcomer, func(c *client) int64 { return c.bytes }, time.Second) {
		t.Error("a client of the same address was closed at once")
	}
}

// TestRequestMemory: requests beyond the memory that models leave are refused; one alone is not.
func TestRequestMemory(t *testing.T) {
	s, url := start(t, Config{Timeout: time.Minute}, saved(t, ripley(t), "m.skm"))
	const body = `{"rows": [[0, 0]]}`
	const need = 161 * int64(len(body))
	s.clients.mu.Lock()
	s.config.Memory, s.clients.bytes = s.Bytes()+10_000, 10_000-need
	s.clients.mu.Unlock()
	if code, text := ask(t, "POST", url+"/predict", body); code != 200 {
		t.Errorf("status %d, %s", code, text)
	}
	s.clients.mu.Lock()
	s.clients.bytes = 10_001 - need
	s.clients.mu.Unlock()
	if code, text := ask(t, "POST", url+"/predict", body); code != 429 || !strings.Contains(text, "there is memory for") {
		t.Errorf("a byte less: status %d, %s", code, text)
	}
	s.clients.mu.Lock()
	s.config.Memory, s.config.Room, s.clients.bytes = 1<<30, 9_999, 10_000-need
	s.clients.mu.Unlock()
	if code, text := ask(t, "POST", url+"/predict", body); code != 429 {
		t.Errorf("beyond the room for requests: status %d, %s", code, text)
	}
	s.clients.mu.Lock()
	s.config.Memory, s.clients.bytes = 0, 0
	s.clients.mu.Unlock()
	if code, text := ask(t, "POST", url+"/predict", body); code != 200 {
		t.Errorf("alone: status %d, %s", code, text)
	}
}

// Of several content types none is taken.
func TestContentTypes(t *testing.T) {
	r := httptest.NewRequest("POST", "/predict", nil)
	for _, types := range [][]string{{"application/json", "text/csv"}, {""}, {"application/json", "application/json"}} {
		r.Header["Content-Type"] = types
		if isCSV, err := form(r); err == nil {
			t.Errorf("%q is taken, as CSV: %v", types, isCSV)
		}
	}
	if r.Header.Del("Content-Type"); !func() bool { isCSV, err := form(r); return err == nil && !isCSV }() {
		t.Error("none is no JSON")
	}
}

// A client that sends its request slowly, or does not read its answer, is let go, and so is its place.
func TestSlowClient(t *testing.T) {
	s, err := newServer([]string{saved(t, ripley(t), "m.skm")}, Config{Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	l := listener(t)
	go func() { _ = s.Serve(t.Context(), l) }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
	text, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 408 ") ||
		!strings.Contains(string(text), "did not come whole") {
		t.Errorf("%v, %q", err, text)
	}
	waitFor(t, s.idle)
}

// idle reports whether no request takes memory or works.
func (s *Server) idle() bool {
	s.clients.mu.Lock()
	defer s.clients.mu.Unlock()
	return s.clients.bytes == 0 && s.clients.running == 0
}

// tightListener makes connections with a small buffer for what the server sends.
type tightListener struct{ net.Listener }

func (l tightListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetWriteBuffer(4096)
	}
	return c, err
}

// TestDeafClient lets clients that do not read fill the sockets' buffers: they take no place of a prediction, and are
// let go after the time of a request.
func TestDeafClient(t *testing.T) {
	s, err := newServer([]string{saved(t, ripley(t), "m.skm")}, Config{Running: 1, Timeout: 4 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	l := tightListener{listener(t)}
	go func() { _ = s.Serve(t.Context(), l) }()
	body := `{"rows": [[0,0]` + strings.Repeat(",[0,0]", 20_000) + "]}"
	predicted := func() int64 {
		s.figures.mu.Lock()
		defer s.figures.mu.Unlock()
		return s.figures.predicts["m"]
	}
	for i := range 3 {
		c, failed := net.Dial("tcp", l.Addr().String())
		if failed != nil {
			t.Fatal(failed)
		}
		defer c.Close()
		_ = c.(*net.TCPConn).SetReadBuffer(4096)
		fmt.Fprintf(c, "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		waitFor(t, func() bool { return predicted() == int64(i+1)*20_001 && s.clients.busy() == 0 })
	}
	if code, text := ask(t, "POST", "http://"+l.Addr().String()+"/predict", `{"rows": [[0, 0]]}`); code != 200 {
		t.Errorf("status %d, %s", code, text)
	}
	waitFor(t, s.idle)
}

// TestOtherOrigins sends what web pages of other origins send: a form, text without a type, and requests after their
// name has come to stand for the server's address.
func TestOtherOrigins(t *testing.T) {
	_, url := start(t, Config{Hosts: []string{"Models.example.com"}}, saved(t, ripley(t), "m.skm"))
	_, open := start(t, Config{}, saved(t, ripley(t), "m.skm"))
	for _, tt := range []struct {
		url, host, headers string
		status             int
	}{
		{url, "", "", 200},
		{url, "", "Content-Type: application/x-www-form-urlencoded", 200}, // curl
		{url, "localhost:80", "", 200},
		{url, "LocalHost", "", 200},
		{url, "[::1]:80", "", 200},
		{url, "models.example.com:8080", "", 200},
		{url, "evil.example.com", "", 421},
		{url, "evil.example.com:8080", "Content-Type: application/json", 421},
		{url, "127.0.0.1.example.com", "", 421},
		{open, "evil.example.com", "", 421}, // the address is local
		{url, "", "Origin: http://evil.example.com|Content-Type: application/json", 403},
		{url, "", "Origin: null|Content-Type: text/csv", 403},
		{url, "", "Sec-Fetch-Site: cross-site|Content-Type: application/json", 403},
		{url, "", "Sec-Fetch-Site: same-site|Content-Type: application/json", 403},
		{url, "", "Sec-Fetch-Site: same-origin|Content-Type: application/json", 200},
		{url, "", "Sec-Fetch-Site: same-origin|Content-Type: application/x-www-form-urlencoded", 415},
		{url, "", "Sec-Fetch-Site: same-origin", 415},
		{url, "models.example.com", "Origin: http://models.example.com|Content-Type: application/json", 200},
	} {
		q, err := http.NewRequestWithContext(t.Context(), "POST", tt.url+"/predict", strings.NewReader(`{"rows": [[0, 0]]}`))
		if err != nil {
			t.Fatal(err)
		}
		q.Host = tt.host
		for h := range strings.SplitSeq(tt.headers, "|") {
			name, value, _ := strings.Cut(h, ": ")
			if name != "" {
				q.Header.Set(name, value)
			}
		}
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != tt.status {
			t.Errorf("host %q, %q: status %d, want %d", tt.host, tt.headers, r.StatusCode, tt.status)
		}
	}
}

// Work that takes too long ends with 503.
func TestTimeout(t *testing.T) {
	s, err := newServer([]string{saved(t, ripley(t), "m.skm")}, Config{Timeout: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("POST", "/predict", strings.NewReader(`{"rows": [[0, 0]]}`)))
	if w.Code != 503 || !strings.Contains(w.Body.String(), "longer than 1ns") {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
}

// A request may not have so many rows that the answer takes more memory than there may be.
func TestTooManyRows(t *testing.T) {
	_, url := start(t, Config{MaxBody: 64 << 20}, saved(t, ripley(t), "m.skm"))
	largest := maxNumbers / (2 + 1 + 2 + 1)
	for n, want := range map[int]int{largest: 200, largest + 1: 413} {
		body := `{"rows":[[0,0]` + strings.Repeat(",[0,0]", n-1) + "]}"
		if status, text := ask(t, "POST", url+"/predict", body); status != want {
			t.Errorf("%d rows: status %d, %.100s", n, status, text)
		}
	}
}

// Models that cannot be served are refused before the server starts.
func TestNew(t *testing.T) {
	good := saved(t, ripley(t), "m.skm")
	folder := t.TempDir()
	broken := filepath.Join(folder, "broken.skm")
	if err := os.WriteFile(broken, []byte("SKM"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, files := range map[string][]string{
		"both called m":   {good, "m=" + broken},
		"broken.skm":      {broken},
		"no.skm":          {filepath.Join(folder, "no.skm")},
		"no regular file": {folder},
		"want NAME=FILE":  {folder + "/.skm"},
		"precomputed":     {precomputed(t)},
	} {
		if _, err := newServer(files, Config{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", files, err, want)
		}
	}
}

// precomputed is a model file of LIBSVM with serial numbers for vectors.
func precomputed(t *testing.T) string {
	t.Helper()
	const text = "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n" +
		"1 0:1\n-1 0:2\n"
	file := filepath.Join(t.TempDir(), "p.model")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := model.Load(file); err != nil {
		t.Fatal(err)
	}
	return file
}

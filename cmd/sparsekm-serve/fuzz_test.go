package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzRequest sends bodies in every form: each is answered, by 200 and finite numbers, or by an error that the
// client made.
func FuzzRequest(f *testing.F) {
	for _, text := range []string{
		`{"inputs": [{"name": "x", "shape": [2, 2], "datatype": "FP64", "data": [0, 1, 2, 3]}], "outputs": [{"name": "labels"}]}`,
		`{"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [[1e39, null]]}]}`,
		`{"rows": [[0, 1], [2e300, 3]]}`, `{"rows": [[], 1]}`, "0,1\n2,3\n", "a,b\n1,\"2\"\n",
		`{"rows": [{"town": "Ulm", "age": 3, "member": true}, {"town": null, "member": "no", "age": "4"}]}`,
		`{"rows": [["Ulm", false, 3], [null, "yes", ""]]}`, `{"instances": [["Ulm", true, 3]]}`, `{"instances": [1, 2]}`,
		`{"inputs": {"town": ["Ulm"], "age": {"0": 3}}}`, `{"instances": [{"x": [1, 2]}, {"x": [[3, 4], [5, 6]]}]}`,
	} {
		f.Add(text)
	}
	s, err := newServer([]string{saved(f, ripley(f), "m.skm"), saved(f, table(f), "t.skm")}, Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for path, kind := range map[string]string{
			"/v2/models/m/infer": "application/json", "/predict/m": "application/json", "/predict/t": "application/json",
			"/v1/models/m:predict": "application/json", "/v1/models/t:predict": "application/json",
			"/predict/m?": "text/csv",
		} {
			r := httptest.NewRequest("POST", path, strings.NewReader(body))
			r.Header.Set("Content-Type", kind)
			r.Header.Set("Accept", "application/json")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			var o map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &o); err != nil {
				t.Errorf("%s: %v in %q", path, err, w.Body)
			}
			if (o["error"] == nil) != (w.Code == 200) || w.Code != 200 && (w.Code < 400 || w.Code > 499) {
				t.Errorf("%s: status %d, %q", path, w.Code, w.Body)
			}
		}
	})
}

// FuzzBinary sends a JSON object and binary data: each is answered, by 200 and outputs of the sizes that they name, or
// by an error that the client made.
func FuzzBinary(f *testing.F) {
	for object, data := range map[string]string{
		`{"inputs": [{"name": "rows", "shape": [1, 2], "datatype": "FP64", "parameters": {"binary_data_size": 16}}],
			"parameters": {"binary_data_output": true}}`: "\x00\x00\x00\x00\x00\x00\xf8\x3f\x00\x00\x00\x00\x00\x00\xf8\x7f",
		`{"inputs": [{"name": "town", "shape": [1], "datatype": "BYTES", "parameters": {"binary_data_size": 7}},
			{"name": "age", "shape": [1, 1], "datatype": "UINT8", "parameters": {"binary_data_size": 1}}, {"name": "member",
			"shape": [1], "datatype": "BOOL", "data": [true]}], "outputs": [{"name": "labels", "parameters": {"binary_data":
			true}}, {"name": "decisions"}]}`: "\x03\x00\x00\x00Ulm\x2a",
		`{"inputs": [{"name": "x", "shape": [1, 3], "datatype": "BYTES", "data": ["a\"", null, "1"]}]}`: "",
	} {
		f.Add(object, []byte(data))
	}
	s, err := newServer([]string{saved(f, ripley(f), "m.skm"), saved(f, table(f), "t.skm")}, Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, object string, data []byte) {
		for _, name := range s.names {
			r := httptest.NewRequest("POST", "/v2/models/"+name+"/infer", strings.NewReader(object+string(data)))
			r.Header.Set(headerLength, fmt.Sprint(len(object)))
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code == 200 && w.Header().Get(headerLength) != "" {
				apart(t, w.Result())
				continue
			}
			var o map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &o); err != nil {
				t.Errorf("%v in %q", err, w.Body)
			}
			if (o["error"] == nil) != (w.Code == 200) || w.Code != 200 && (w.Code < 400 || w.Code > 499) {
				t.Errorf("status %d, %q", w.Code, w.Body)
			}
		}
	})
}

// FuzzMatrix reads arrays as encoding/json does, but that null is no number.
func FuzzMatrix(f *testing.F) {
	for _, text := range []string{`[1, -2.5e-3]`, `[[1], [2]]`, `[[1, 2], [3]]`, `[null]`, `[[[]]]`, `[]`, `"["`, `[true, "]"]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m matrix
		if json.Unmarshal([]byte(text), &m) != nil {
			return
		}
		var flat []*float64
		var nested [][]*float64
		if json.Unmarshal([]byte(text), &flat) != nil {
			if err := json.Unmarshal([]byte(text), &nested); err != nil {
				t.Fatalf("%q: read, although %v", text, err)
			}
			flat = nil
			if m.n != len(nested) {
				t.Fatalf("%q: %d rows, want %d", text, m.n, len(nested))
			}
			for _, row := range nested {
				if len(row) != m.d {
					t.Fatalf("%q: rows of %d, want %d", text, m.d, len(row))
				}
				flat = append(flat, row...)
			}
		}
		if len(flat) != len(m.x) {
			t.Fatalf("%q: %v, want %d numbers", text, m.x, len(flat))
		}
		for i, v := range flat {
			if v == nil || *v != m.x[i] {
				t.Fatalf("%q: %v at %d", text, m.x[i], i)
			}
		}
	})
}

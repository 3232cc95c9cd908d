package fileformat

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// unique is the error of [Once] for a whole text.
func unique(text []byte, fold bool) error {
	_, err := io.ReadAll(Once(bytes.NewReader(text), fold))
	return err
}

func TestOnce(t *testing.T) {
	for text, twice := range map[string]string{
		`{"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 2}]}`: "",
		`{"a": "a", "b": "a", "c": ["a", "a", "a\"", ":"]}`:  "",
		`[1, "a", {"a": {}, "b": []}, "a", {"a": 1}]`:        "",
		`{"a": 1, "a": 1}`: `"a"`,
		`{"a": {"b": [1, {"c": 1, "d": 2, "c": 3}]}}`: `"c"`,
		`{"a": {"a": 1}, "b": "\\", "a": 2}`:          `"a"`,
		`{"a\"b": 1, "a\u0022b": 2}`:                  `"a\"b"`,
		`{"rows": [[1, 2]], "Rows": 3}`:               `"Rows"`,
		`{"rows": 1, "row\u017f": 3}`:                 `"rowſ"`,
		`{"": 1, "": 2}`:                              `""`,
		`}]]}{"a": 1, "a"`:                            `"a"`, // no JSON
		`,:"a":"a","a" \ {`:                           "",
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			got, err := io.ReadAll(Once(r, true))
			switch {
			case twice == "" && (err != nil || string(got) != text):
				t.Errorf("%s: %q, %v", text, got, err)
			case twice != "" && (err == nil || !strings.Contains(err.Error(), "found the key "+twice+" twice")):
				t.Errorf("%s: %v, want the key %s", text, err, twice)
			}
		}
	}
	if err := unique([]byte(`{"a": 1, "A": 2}`), false); err != nil {
		t.Error(err)
	}
}

// FuzzOnce: what has every key once is read as it is, and what encoding/json writes has.
func FuzzOnce(f *testing.F) {
	f.Add([]byte(`{"a": [1, {"b": "\\\""}], "A": null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, err := io.ReadAll(Once(bytes.NewReader(text), false)); err == nil && !bytes.Equal(got, text) {
			t.Fatalf("%q becomes %q", text, got)
		}
		var v any
		if json.Unmarshal(text, &v) != nil {
			return
		}
		if written, err := json.Marshal(v); err != nil || unique(written, false) != nil {
			t.Fatalf("%s: %v, %v", written, err, unique(written, false))
		}
	})
}

package fileformat

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Marshal is json.Marshal, and null where that fails for a number. Of struct tags it knows names, "-", omitempty
// and omitzero.
func Marshal(v any) ([]byte, error) {
	var plain, escaped bytes.Buffer
	if err := Encode(&plain, v); err != nil {
		return nil, err
	}
	json.HTMLEscape(&escaped, bytes.TrimSuffix(plain.Bytes(), []byte("\n")))
	return escaped.Bytes(), nil
}

// Encode writes what [Marshal] returns and the end of the line, with <, > and & as they are.
func Encode(w io.Writer, v any) error {
	var out bytes.Buffer
	if unescaped(&out, v) != nil {
		out.Reset()
		if err := write(&out, reflect.ValueOf(v)); err != nil {
			return err
		}
		out.WriteByte('\n')
	}
	_, err := w.Write(out.Bytes())
	return err
}

// unescaped is json.Marshal with a line end, and without escapes for HTML.
func unescaped(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

func write(out *bytes.Buffer, v reflect.Value) error {
	if v.IsValid() && (v.Type().Implements(jsonMarshaler) || v.Type().Implements(textMarshaler)) {
		return plain(out, v)
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			out.WriteString("null")
			return nil
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return write(out, v.Elem())
		}
	case reflect.Struct:
		out.WriteByte('{')
		if _, err := fields(out, v, 0); err != nil {
			return err
		}
		out.WriteByte('}')
		return nil
	case reflect.Slice, reflect.Array:
		return elements(out, v)
	case reflect.Map:
		return entries(out, v)
	}
	return plain(out, v)
}

func plain(out *bytes.Buffer, v reflect.Value) error {
	if !v.IsValid() {
		out.WriteString("null")
		return nil
	}
	err := unescaped(out, v.Interface())
	out.Truncate(len(bytes.TrimSuffix(out.Bytes(), []byte("\n"))))
	return err
}

// fields writes those of a struct behind n others, and returns how many there are now.
func fields(out *bytes.Buffer, v reflect.Value, n int) (int, error) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		value := v.Field(i)
		empty := value.IsZero() || strings.Contains(options, "omitempty") &&
			(value.Kind() == reflect.Slice || value.Kind() == reflect.Map) && value.Len() == 0
		switch {
		case f.Anonymous && name == "" && value.Kind() == reflect.Struct:
			var err error
			if n, err = fields(out, value, n); err != nil {
				return n, err
			}
			continue
		case !f.IsExported(), name == "-", strings.Contains(options, "omit") && empty:
			continue
		case name == "":
			name = f.Name
		}
		if n++; n > 1 {
			out.WriteByte(',')
		}
		fmt.Fprintf(out, "%q:", name)
		if err := write(out, value); err != nil {
			return n, err
		}
	}
	return n, nil
}

func elements(out *bytes.Buffer, v reflect.Value) error {
	if v.Kind() == reflect.Slice && (v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8) {
		return plain(out, v)
	}
	out.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := write(out, v.Index(i)); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

// entries writes a map in the order of its keys, which are strings.
func entries(out *bytes.Buffer, v reflect.Value) error {
	if v.IsNil() || v.Type().Key().Kind() != reflect.String {
		return plain(out, v)
	}
	values := make(map[string]reflect.Value, v.Len())
	for _, k := range v.MapKeys() {
		values[k.String()] = v.MapIndex(k)
	}
	out.WriteByte('{')
	for i, k := range slices.Sorted(maps.Keys(values)) {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := plain(out, reflect.ValueOf(k)); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := write(out, values[k]); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

// Package numjson is encoding/json for values with numbers that JSON does not have: NaN and the infinities are null.
package numjson

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Marshal is json.Marshal, and null where that fails for a number. Of struct tags it knows names, "-", omitempty
// and omitzero.
func Marshal(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err == nil {
		return b, nil
	}
	var out bytes.Buffer
	if err = write(&out, reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
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
	b, err := json.Marshal(v.Interface())
	out.Write(b)
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
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	out.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			out.WriteByte(',')
		}
		b, _ := json.Marshal(k.String())
		out.Write(append(b, ':'))
		if err := write(out, v.MapIndex(k)); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

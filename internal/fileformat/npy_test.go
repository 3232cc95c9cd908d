package fileformat

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// arrayFile is an array as NumPy writes it, of version 1 unless long.
func arrayFile(descr, order, shape string, data []byte) []byte {
	header := "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n"
	b := append([]byte(NumPyMagic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	return append(append(b, header...), data...)
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		in      []byte
		shape   []int
		numbers []float64
		texts   []string
	}{
		"scalar":   {arrayFile("<f8", "False", "()", []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}), nil, []float64{1}, nil},
		"float32":  {arrayFile(">f4", "False", "(2,)", []byte{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}), []int{2}, []float64{1, -2}, nil},
		"integers": {arrayFile("<i2", "False", "(1, 2)", []byte{0xfe, 0xff, 7, 0}), []int{1, 2}, []float64{-2, 7}, nil},
		"unsigned": {arrayFile("|u1", "False", "(2,)", []byte{255, 0}), []int{2}, []float64{255, 0}, nil},
		"truth":    {arrayFile("|b1", "False", "(2,)", []byte{1, 0}), []int{2}, []float64{1, 0}, nil},
		"columns":  {arrayFile("|i1", "True", "(2, 3)", []byte{1, 4, 2, 5, 3, 6}), []int{2, 3}, []float64{1, 2, 3, 4, 5, 6}, nil},
		"none":     {arrayFile("<f8", "True", "(0, 3)", nil), []int{0, 3}, nil, nil},
		"texts":    {arrayFile("<U2", "False", "(2,)", []byte{'a', 0, 0, 0, 0, 0, 0, 0, 0xe4, 0, 0, 0, 'b', 0, 0, 0}), []int{2}, nil, []string{"a", "äb"}},
		"bytes":    {arrayFile("|S2", "False", "(2,)", []byte("abc\x00")), []int{2}, nil, []string{"ab", "c"}},
	} {
		a, err := ReadArray(bytes.NewReader(c.in), 1000)
		if err != nil || !slices.Equal(a.Shape, c.shape) || !slices.Equal(a.Numbers, c.numbers) ||
			!slices.Equal(a.Texts, c.texts) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		in   []byte
		want string
	}{
		"empty":        {nil, "no NumPy array"},
		"magic":        {[]byte("\x93NUMBER\x01"), "no NumPy array"},
		"version":      {[]byte(NumPyMagic + "\x04\x00\x00\x00"), "version 4"},
		"short header": {arrayFile("<f8", "False", "(2,)", nil)[:30], "within its header"},
		"long header":  {[]byte(NumPyMagic + "\x02\x00\xff\xff\xff\x7f"), "2147483647 bytes"},
		"objects":      {arrayFile("|O", "False", "(2,)", nil), `"|O"`},
		"records":      {arrayFile("<V8", "False", "(2,)", nil), `"<V8"`},
		"half":         {arrayFile("<f2", "False", "(2,)", nil), "f2"},
		"order":        {arrayFile("<f8", "Perhaps", "(2,)", nil), "header"},
		"shape":        {arrayFile("<f8", "False", "(-1,)", nil), "header"},
		"axes":         {arrayFile("|u1", "False", "(1, 1, 1)", []byte{1}), "3 axes"},
		"cut":          {arrayFile("<f8", "False", "(2,)", make([]byte, 15)), "ends within its 2 elements"},
		"large":        {arrayFile("<f8", "False", "(100,)", nil), "limit of 1000 bytes"},
		"overflow":     {arrayFile("<f8", "False", "(2000000000, 2000000000, 2000000000)", nil), "fewer elements"},
		"side":         {arrayFile("<f8", "False", "(99999999999,)", nil), "below 2³¹"},
		"empty texts":  {arrayFile("<U0", "False", "(2000000000,)", nil), "limit"},
		"truth":        {arrayFile("|b1", "False", "(1,)", []byte{2}), "truth value 2"},
		"integer":      {arrayFile("<i8", "False", "(1,)", bytes.Repeat([]byte{0x7f}, 8)), "float64 may not have"},
		"negative":     {arrayFile(">i8", "False", "(1,)", []byte{0x80, 0, 0, 0, 0, 0, 0, 0}), "float64 may not have"},
		"unsigned":     {arrayFile("<u8", "False", "(1,)", bytes.Repeat([]byte{0xff}, 8)), "float64 may not have"},
		"character":    {arrayFile("<U1", "False", "(1,)", []byte{0, 0, 0, 1}), "no character"},
		"utf-8":        {arrayFile("|S1", "False", "(1,)", []byte{0xff}), "no text"},
	} {
		if a, err := ReadArray(bytes.NewReader(c.in), 1000); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v, want %q", name, a, err, c.want)
		}
	}
}

// FuzzRead wants as many elements as the shape says, or an error.
func FuzzRead(f *testing.F) {
	f.Add(arrayFile("<f8", "False", "(1,)", make([]byte, 8)))
	f.Add(arrayFile("<U2", "True", "(1, 2)", make([]byte, 16)))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ReadArray(bytes.NewReader(data), 1<<16)
		if err != nil {
			return
		}
		n := 1
		for _, side := range a.Shape {
			n *= side
		}
		if a.Len() != n {
			t.Errorf("%d elements of shape %v", a.Len(), a.Shape)
		}
	})
}

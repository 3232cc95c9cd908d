package fileformat

import "testing"

func TestForeign(t *testing.T) {
	for magic, name := range names {
		if got := Foreign([]byte(magic + "........")); got != name {
			t.Errorf("%q: %q, want %q", magic, got, name)
		}
		if len(magic) > LongestMagic {
			t.Errorf("%q is longer than %d bytes", magic, LongestMagic)
		}
	}
	for _, c := range []struct{ head, want string }{
		{"\x08\x07\x12\x04skl2", "an ONNX file"},
		{"\x08\x08:\xc4\x1e\n", "an ONNX file"},
		{"\x81\x03\x81\x01\x01\x10\x81\x04", "what seems to be a file of dlib"}, // written by dlib 19.24
		{"\x82\x2c\x01\x81\x01\x01\x10", "what seems to be a file of dlib"},
		{"\x81\x03\x82", ""}, {"\x85\x03\x81\x01", ""}, {"\x08", ""}, {"\x08\x07\x99", ""}, {"", ""},
		{"1 1:2\n", ""}, {"x,y\n1,2\n", ""}, {"%PD", ""},
	} {
		if got := Foreign([]byte(c.head)); got != c.want {
			t.Errorf("%q: %q, want %q", c.head, got, c.want)
		}
	}
}

package fileformat

import "strings"

// LongestMagic is the number of bytes that Foreign needs, if the file has as many.
const LongestMagic = 8

var names = map[string]string{
	"\xfd7zXZ": "an xz file", "\x28\xb5\x2f\xfd": "a zstandard file", "\x04\x22\x4d\x18": "an lz4 file", "7z\xbc\xaf\x27\x1c": "a 7-Zip file",
	"\x78\x01": "a zlib file, as joblib writes", "\x78\x9c": "a zlib file, as joblib writes", "\x78\xda": "a zlib file, as joblib writes",
	"PAR1": "a Parquet file", "ARROW1": "an Arrow file", "FEA1": "a Feather file", "\x89HDF": "an HDF5 file", "ORC": "an ORC file", "Obj\x01": "an Avro file",
	"\x80\x02": "a pickle", "\x80\x03": "a pickle", "\x80\x04": "a pickle", "\x80\x05": "a pickle",
	"SQLite f": "an SQLite file", "\xd0\xcf\x11\xe0": "an old Excel or Word file", "%PDF-": "a PDF file", "RDX2\n": "a file of R", "RDX3\n": "a file of R",
	"MATLAB 5": "a MATLAB file", "\xff\xfe": "text in UTF-16", "\xfe\xff": "text in UTF-16",
}

// Foreign returns the name of the unsupported format of a file that begins with head, or "" if it is unknown.
func Foreign(head []byte) string {
	begin := string(head[:min(len(head), LongestMagic)])
	for magic, name := range names {
		if strings.HasPrefix(begin, magic) {
			return name
		}
	}
	switch {
	case isUTF16(begin):
		return "text in UTF-16"
	case isONNX(begin):
		return "an ONNX file"
	case isDlib(begin):
		return "what seems to be a file of dlib"
	}
	return ""
}

// isUTF16 recognizes ASCII characters in UTF-16 without a mark of the byte order: every other byte is 0.
func isUTF16(begin string) bool {
	for odd := range 2 {
		zeros, texts := 0, 0
		for i := range len(begin) {
			switch c := begin[i]; {
			case i%2 == odd && c == 0:
				zeros++
			case i%2 != odd && (c >= ' ' || c == '\t' || c == '\n' || c == '\r'):
				texts++
			}
		}
		if len(begin) >= 4 && zeros+texts == len(begin) {
			return true
		}
	}
	return false
}

// isONNX recognizes a protocol buffer whose field 1 is a small number, the version of ONNX's intermediate
// representation. One of ONNX's fields 2 to 8 follows: names and numbers, the graph, or the operator sets.
func isONNX(begin string) bool {
	const fields = "\x12\x1a\x22\x28\x32\x3a\x42"
	return len(begin) > 2 && begin[0] == 0x08 && begin[1] > 0 && begin[1] < 32 && strings.IndexByte(fields, begin[2]) >= 0
}

// isDlib recognizes the column vector at the beginning of dlib's decision functions: minus its length, then −1. A
// byte with the sign and the width precedes each number.
func isDlib(begin string) bool {
	if len(begin) == 0 || begin[0] < 0x81 || begin[0] > 0x84 {
		return false
	}
	width := int(begin[0] - 0x80)
	return len(begin) > width+2 && begin[1+width:3+width] == "\x81\x01"
}

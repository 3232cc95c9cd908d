package inputs

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// write makes a gzipped idx file.
func write(t *testing.T, name string, head []uint32, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	binary.Write(z, binary.BigEndian, head)
	z.Write(data)
	z.Close()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	pix := make([]byte, 2*Pixels)
	pix[3], pix[Pixels+5] = 255, 51
	images := write(t, "images", []uint32{0x803, 2, 28, 28}, pix)
	labels := write(t, "labels", []uint32{0x801, 2}, []byte{3, 7})
	d, err := ReadDigits(images, labels, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.X) != 2*Pixels || d.X[3] != 1 || d.X[Pixels+5] != 0.2 {
		t.Error("wrong pixels")
	}
	if y := d.Against(3); y[0] != 1 || y[1] != -1 {
		t.Errorf("labels %v, want +1 and −1", y)
	}
}

func TestReadRefuses(t *testing.T) {
	good := write(t, "labels", []uint32{0x801, 2}, []byte{3, 7})
	for name, images := range map[string]string{
		"magic":     write(t, "i", []uint32{0x801, 2, 28, 28}, make([]byte, 2*Pixels)),
		"shape":     write(t, "i", []uint32{0x803, 2, 27, 28}, make([]byte, 2*Pixels)),
		"truncated": write(t, "i", []uint32{0x803, 2, 28, 28}, make([]byte, Pixels)),
		"count":     write(t, "i", []uint32{0x803, 3, 28, 28}, make([]byte, 3*Pixels)),
		"absent":    filepath.Join(t.TempDir(), "none"),
	} {
		if _, err := ReadDigits(images, good, 0); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

package zipped

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
)

// TestOpen: archives of office programs and damaged ones are named.
func TestOpen(t *testing.T) {
	for name, want := range map[string]string{"[Content_Types].xml": "found a file of Excel or Word, want CSV",
		"mimetype": "found a file of LibreOffice or such, want CSV", "a.npy": "", "": "found a damaged zip or Excel file"} {
		var b bytes.Buffer
		if z := zip.NewWriter(&b); name != "" {
			for _, entry := range []string{"x.npy", name} {
				if _, err := z.Create(entry); err != nil {
					t.Fatal(err)
				}
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
		} else {
			b.WriteString("PK\x03\x04 and so on")
		}
		z, err := Open(b.Bytes(), "CSV")
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !strings.HasPrefix(text, want) || (want == "") != (err == nil && len(z.File) == 2) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
)

// What is wrong with a file can be asked for, through the name of the file in front too.
func TestErrorKinds(t *testing.T) {
	c := mustNew(t, randomParts(rand.New(rand.NewPCG(1, 2)), Binary, gram.RBF(1), 3, 2))
	skm, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	read := func(data []byte) error {
		_, _, err := Read(bytes.NewReader(data), "m")
		if err == nil || !strings.HasPrefix(err.Error(), "m: ") {
			t.Errorf("error %v, want one that begins with the file's name", err)
		}
		return err
	}
	flipped := bytes.Clone(skm)
	flipped[len(flipped)/2] ^= 1
	for name, data := range map[string][]byte{
		"cut": skm[:len(skm)-1], "longer": append(bytes.Clone(skm), 'x'), "flipped": flipped,
		"JSON cut": text[:len(text)/2], "JSON longer": append(bytes.Clone(text), '{'),
		"JSON changed": bytes.Replace(text, []byte(":"), []byte(";"), 1),
	} {
		if err := read(data); !errors.Is(err, ErrCorrupt) || errors.As(err, new(*VersionError)) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
	later := bytes.Clone(skm)
	binary.LittleEndian.PutUint32(later[len(magic):], version+1)
	for name, data := range map[string][]byte{"ours": later, "JSON": bytes.Replace(text, []byte(`"version":13`), []byte(`"version":15`), 1)} {
		var v *VersionError
		if err := read(data); !errors.As(err, &v) || v.Found != v.Want+1 || v.Want < version || errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, want a VersionError", name, err)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, name := range FormatNames() {
		if got, err := ParseFormat(name); err != nil || string(got) != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

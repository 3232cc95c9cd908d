// Package zipped opens zip archives. A program that imports it reads NumPy's .npz files with package dataset; one that
// only decides does without, and is smaller.
package zipped

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm/internal/fileformat"
)

func init() { fileformat.EachInZip = each }

// each calls do with every file of an archive.
func each(data []byte, want string, do func(name string, open func() (io.ReadCloser, error)) error) error {
	z, err := Open(data, want)
	if err != nil {
		return err
	}
	for _, entry := range z.File {
		if err := do(entry.Name, entry.Open); err != nil {
			return err
		}
	}
	return nil
}

// Open opens a zip archive, and names what is no archive for us: a damaged one, or a sheet of an office program.
func Open(data []byte, want string) (*zip.Reader, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("found a damaged zip or Excel file (%w), want %s", err, want)
	}
	for _, entry := range z.File {
		switch entry.Name {
		case "[Content_Types].xml":
			return nil, fmt.Errorf("found a file of Excel or Word, want %s", want)
		case "mimetype":
			return nil, fmt.Errorf("found a file of LibreOffice or such, want %s", want)
		}
	}
	return z, nil
}

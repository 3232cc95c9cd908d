package fileformat

import (
	"archive/zip"
	"bytes"
	"fmt"
)

// DirectoryBytes bounds the memory that package archive/zip takes for the directory of an archive. An archive may name
// very many files that are empty.
func DirectoryBytes(archive []byte) int64 {
	const entry = 512
	return entry * int64(bytes.Count(archive, []byte("PK\x01\x02")))
}

// OpenZip opens an archive, and names what is no archive for us: a damaged one, or a sheet of an office program.
func OpenZip(data []byte, want string) (*zip.Reader, error) {
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

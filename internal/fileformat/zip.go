package fileformat

import "bytes"

// DirectoryBytes bounds the memory that package archive/zip takes for the directory of an archive. An archive may name
// very many files that are empty.
func DirectoryBytes(archive []byte) int64 {
	const entry = 512
	return entry * int64(bytes.Count(archive, []byte("PK\x01\x02")))
}

package dataset

import (
	"io"
	"os"

	"github.com/sparsekm/sparsekm/internal/parallel"
)

// sharedFile reads a regular file from its beginning. Each goroutine reads a part of what is wanted at once: the one
// that goes on with that part then finds it in the cache of its core.
type sharedFile struct {
	f       *os.File
	next    int64 // byte
	threads int
}

// sharedRead is the least number of bytes for each goroutine.
const sharedRead = 64 << 10

// openShared opens a file, from which a guess may begin again. One that is not regular is read as it comes.
func openShared(path string, o *Options) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return f, nil
	}
	return &sharedFile{f: f, threads: min(parallel.Workers(o.Threads), maxAhead)}, nil
}

func (r *sharedFile) Close() error { return r.f.Close() }

// Seek implements [io.Seeker].
func (r *sharedFile) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekCurrent {
		offset, whence = offset+r.next, io.SeekStart
	}
	pos, err := r.f.Seek(offset, whence)
	if err == nil {
		r.next = pos
	}
	return pos, err
}

// Read implements [io.Reader].
func (r *sharedFile) Read(to []byte) (n int, err error) {
	parts := 1
	if len(to) >= r.threads*sharedRead {
		parts = max(1, r.threads)
	}
	var read [maxAhead]int
	var errs [maxAhead]error
	cut := func(k int) int { return len(to) * k / parts }
	parallel.For(parts, parts, func(_, k int) {
		read[k], errs[k] = r.f.ReadAt(to[cut(k):cut(k+1)], r.next+int64(cut(k)))
	})
	for k := 0; k < parts && err == nil; k++ { // what follows a part that is not full may not be next in the file
		n, err = n+read[k], errs[k]
	}
	r.next += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

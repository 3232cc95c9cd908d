package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sparsekm/sparsekm/model"
)

// served is a file that is served.
type served struct {
	name, file string
	now        atomic.Pointer[version]
	failures   atomic.Int64 // readings that gave no model

	// Of the last reading; Server.reading guards them.
	seen  os.FileInfo // nil where there was no file
	wrong string      // what was wrong with it, if anything
}

// version is a model as it was read once.
type version struct {
	clf  *model.Classifier
	sum  [sha256.Size]byte // of the file
	info os.FileInfo       // of the file before it was read
	at   time.Time         // when it was there
	took time.Duration     // to read it
}

// latest is the version that every model has, too: clients' scripts ask for it.
const latest = "1"

// id tells versions apart: the beginning of the file's checksum.
func (v *version) id() string { return hex.EncodeToString(v.sum[:6]) }

// Name takes NAME=FILE apart; a file alone has its own name, without folder and ending.
func Name(spec string) (name, file string) {
	name, file, ok := strings.Cut(spec, "=")
	if ok && name != "" && !strings.ContainsAny(name, `/\`) {
		return name, file
	}
	base := filepath.Base(spec)
	return strings.TrimSuffix(base, filepath.Ext(base)), spec
}

// read reads a model whole.
func (s *Server) read(file string) (*version, error) {
	began := time.Now()
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file, which can be read again when it changes", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	clf, _, err := model.ReadWithin(io.TeeReader(f, sum), file, s.config.Memory-s.Bytes())
	if err != nil {
		return nil, err
	}
	if clf.Kernel().Indexed() {
		return nil, fmt.Errorf("%s: found a precomputed kernel, want one of samples' features", file)
	}
	if d := s.config.Features; d > clf.NumFeatures() && clf.TrainedFeatures() == 0 {
		if clf, err = clf.WithFeatures(d); err != nil {
			return nil, err
		}
	}
	return &version{clf: clf, sum: [sha256.Size]byte(sum.Sum(nil)), info: info, at: time.Now(), took: time.Since(began)}, nil
}

// Bytes is the memory of the models that are there.
func (s *Server) Bytes() (total int64) {
	for _, m := range s.models {
		total += m.now.Load().clf.Bytes()
	}
	return total
}

// Reload reads the files that have changed. The model of a file serves on until the new one is read and valid; what
// is wrong with one that is not goes to the log, once for each change.
func (s *Server) Reload() {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.secrets.changed(&s.config) {
		if err := s.secrets.read(&s.config); err != nil {
			s.config.Log.Warn(fmt.Sprintf("certificate and token stay as they were: %v", err))
		}
	}
	for _, name := range s.names {
		s.reload(s.models[name])
	}
}

func (s *Server) reload(m *served) {
	info, err := os.Stat(m.file)
	if err == nil && m.seen != nil && same(info, m.seen) {
		return
	}
	m.seen = info // nil with an error
	var v *version
	if err == nil {
		v, err = s.read(m.file)
	}
	if err != nil {
		if info != nil || m.wrong != err.Error() {
			m.failures.Add(1)
			s.config.Log.Warn(fmt.Sprintf("%s keeps its model: %v", m.name, err))
		}
		m.wrong = err.Error()
		return
	}
	m.wrong = ""
	if v.sum == m.now.Load().sum {
		return
	}
	m.now.Store(v)
	s.config.Log.Info(fmt.Sprintf("%s was read again: version %s, %d vectors of %d features", m.name, v.id(),
		v.clf.NumVectors(), v.clf.NumFeatures()))
}

// same reports whether a file has not changed as far as the file system tells.
func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

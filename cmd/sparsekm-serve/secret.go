package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
)

// secrets are read again when their files have changed, as models are. Those that are wrong leave the old ones.
type secrets struct {
	certificate atomic.Pointer[tls.Certificate]
	token       atomic.Pointer[[sha256.Size]byte]
	seen        []os.FileInfo // of the files when they were read; Server.reading guards it
}

// read reads the files that the configuration names.
func (x *secrets) read(c *Config) error {
	if (c.Cert == "") != (c.Key == "") {
		return errors.New("found one file of certificate and key, want both or none")
	}
	if c.Cert != "" {
		pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		if err != nil {
			return fmt.Errorf("%s with %s: %w", c.Cert, c.Key, err)
		}
		x.certificate.Store(&pair)
	}
	if c.Token == "" {
		return nil
	}
	text, err := os.ReadFile(c.Token)
	if err != nil {
		return err
	}
	text = bytes.TrimSpace(text)
	if len(text) < 16 || bytes.ContainsAny(text, " \t\r\n") {
		return fmt.Errorf("%s: found a token of %d bytes, want at least 16, and no spaces between them", c.Token, len(text))
	}
	sum := sha256.Sum256(text)
	x.token.Store(&sum)
	return nil
}

// changed notes the files as they are, and reports whether one is not as it was.
func (x *secrets) changed(c *Config) (changed bool) {
	var now []os.FileInfo
	for _, file := range []string{c.Cert, c.Key, c.Token} {
		if file == "" {
			continue
		}
		info, err := os.Stat(file)
		if err != nil {
			info = nil
		}
		now = append(now, info)
		if i := len(now) - 1; i >= len(x.seen) || (info == nil) != (x.seen[i] == nil) ||
			info != nil && !same(info, x.seen[i]) {
			changed = true
		}
	}
	x.seen = now
	return changed
}

// admit refuses requests without the token. Comparing checksums takes the same time for every token.
func (x *secrets) admit(r *http.Request) error {
	want := x.token.Load()
	if want == nil {
		return nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], want[:]) != 1 {
		return failf(http.StatusUnauthorized, "found no valid token, want the header Authorization: Bearer TOKEN")
	}
	return nil
}

// tls is the configuration of connections; nil without a certificate.
func (x *secrets) tls() *tls.Config {
	if x.certificate.Load() == nil {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return x.certificate.Load(), nil }}
}

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate writes a certificate for 127.0.0.1 that signs itself, and its key.
func certificate(t *testing.T, cert, key string, serial int64) *x509.CertPool {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, secret.Public(), secret)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY",
		Bytes: private}} {
		if err = os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return pool
}

// TestTLS: connections are encrypted by the certificate as its files are now, and slow handshakes end.
func TestTLS(t *testing.T) {
	folder := t.TempDir()
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	pool := certificate(t, cert, key, 1)
	var log bytes.Buffer
	s, url := start(t, Config{Cert: cert, Key: key, Watch: -1, Timeout: time.Minute,
		Log: slog.New(slog.NewJSONHandler(&log, nil))}, saved(t, ripley(t), "m.skm"))
	url = "https://" + strings.TrimPrefix(url, "http://")
	serial := func(pool *x509.CertPool) (string, error) {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true,
			DisableKeepAlives: true}}
		r, err := client.Post(url+"/predict", "application/json", strings.NewReader(`{"rows": [[0, 0]]}`))
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		if r.StatusCode != 200 || r.ProtoMajor != 1 {
			t.Errorf("status %d, %s", r.StatusCode, r.Proto)
		}
		return r.TLS.PeerCertificates[0].SerialNumber.String(), nil
	}
	if got, err := serial(pool); err != nil || got != "1" {
		t.Errorf("certificate %s, %v", got, err)
	}
	second := certificate(t, cert, key, 2)
	s.Reload()
	if got, err := serial(second); err != nil || got != "2" {
		t.Errorf("certificate %s, %v", got, err)
	}
	if _, err := serial(pool); err == nil {
		t.Error("the old certificate is used")
	}
	if err := os.WriteFile(key, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Reload()
	s.Reload()
	if got, err := serial(second); err != nil || got != "2" || strings.Count(log.String(), "stay as they were") != 1 {
		t.Errorf("after a broken key: certificate %s, %v, log %s", got, err, &log)
	}
	if r, err := http.Get("http" + strings.TrimPrefix(url, "https") + "/v2"); err == nil {
		r.Body.Close()
		if r.StatusCode == 200 {
			t.Error("an answer without TLS")
		}
	}
}

// TestToken: nothing but the health is told without the token, which may change.
func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("0123456789abcdef\n")
	s, url := start(t, Config{Token: file, Watch: -1}, saved(t, ripley(t), "m.skm"))
	const body = `{"rows": [[0, 0]]}`
	expect := func(status int, path string, headers ...string) {
		t.Helper()
		method := "POST"
		if path != "/predict" {
			method = "GET"
		}
		if got, text := ask(t, method, url+path, body, headers...); got != status {
			t.Errorf("%s %q: status %d, %s, want %d", path, headers, got, text, status)
		}
	}
	const good = "Authorization: Bearer 0123456789abcdef"
	expect(200, "/predict", good)
	expect(200, "/predict", "Authorization: bearer  0123456789abcdef")
	for _, path := range []string{"/predict", "/metrics", "/v2", "/v2/models/m", "/", "/nothing", "/v2/health/../../metrics",
		"/healthz/../metrics", "/v2/health/nothing", "//metrics/", "/openapi.json"} {
		expect(401, path)
	}
	expect(401, "/predict", good+"0")
	expect(401, "/predict", good[:len(good)-1])
	expect(401, "/predict", "Authorization: Basic 0123456789abcdef")
	expect(200, "/v2/health/live")
	expect(200, "/v2/health/ready")
	expect(200, "/healthz/")
	write("fedcba9876543210fedcba")
	s.Reload()
	expect(401, "/predict", good)
	expect(200, "/predict", "Authorization: Bearer fedcba9876543210fedcba")
	write("short")
	s.Reload()
	expect(200, "/predict", "Authorization: Bearer fedcba9876543210fedcba")
}

// TestSecretFiles: what cannot be used is said before the server starts.
func TestSecretFiles(t *testing.T) {
	folder := t.TempDir()
	model, token := saved(t, ripley(t), "m.skm"), filepath.Join(folder, "token")
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	certificate(t, cert, key, 1)
	certificate(t, cert, filepath.Join(folder, "other.pem"), 1)
	if err := os.WriteFile(token, []byte("two words of a token"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]Config{
		"want both or none":              {Cert: cert},
		"cert.pem with " + key:           {Cert: cert, Key: key},
		"no such file":                   {Token: filepath.Join(folder, "none")},
		"token: found a token of 20 byt": {Token: token},
	} {
		if _, err := newServer([]string{model}, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
}

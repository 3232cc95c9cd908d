//go:build !noserve

package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/serve"
)

type serveCmd struct {
	Models []modelFile `arg:"" name:"model" reads:"the model" help:"Models, each under its file's name, or as NAME=FILE."`

	Addr        string           `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where to listen, for HTTP but not gRPC; port 0 takes a free one. Default: ${default}."`
	Host        []string         `placeholder:"NAME" help:"Names that requests may call the server by; others get 421. Addresses and localhost may always. Default: no other name on a local address, any elsewhere."`
	TLSCert     string           `name:"tls-cert" placeholder:"FILE" reads:"the certificate" help:"Certificates in PEM: answer by HTTPS. Read again when they change, as keys and tokens are."`
	TLSKey      string           `name:"tls-key" placeholder:"FILE" reads:"the key" help:"The certificate's key in PEM."`
	TokenFile   string           `type:"path" placeholder:"FILE" reads:"the token" help:"A file with a token of at least 16 bytes. Requests need it as Authorization: Bearer TOKEN, but for /v2/health; others get 401."`
	Features    int              `placeholder:"N" help:"Features of a sample, for models of LIBSVM files, which do not tell. Default: the largest index in the model."`
	Reload      time.Duration    `default:"1s" help:"Time between two looks at the files, which are read again when they have changed, and at SIGHUP. 0: at SIGHUP alone. Default: ${default}."`
	MaxBody     session.ByteSize `default:"4MiB" placeholder:"SIZE" help:"Bytes of a request; longer ones get 413. Default: ${default}."`
	Requests    int              `placeholder:"N" help:"Requests for predictions that are worked on at once, of which one address has three quarters at most; more get 429. Default: 16 a processor."`
	Connections int              `default:"1024" placeholder:"N" help:"Open connections; a new one takes the place of the one that waited longest, of the address that has most. Default: ${default}."`
	Timeout     time.Duration    `default:"10s" help:"Time for a request, and for those that run when the server stops. Default: ${default}."`
	Mem         session.ByteSize `placeholder:"SIZE" help:"Memory budget of the models, old and new ones while files are read again, and of requests. Default: half of what the host, or its control group, has; of requests 256MiB at most."`
	Log         string           `enum:"text,json" default:"text" help:"Form of standard error: ${enum}, with an object a line."`
}

// modelFile is FILE or NAME=FILE.
type modelFile string

// File is the name of the file.
func (m modelFile) File() string {
	_, file := serve.Name(string(m))
	return file
}

// serveJSON is what `sparsekm serve --json` prints when it listens.
type serveJSON struct {
	Address string   `json:"address"` // with the port that was taken
	Models  []string `json:"models"`
}

func (c *serveCmd) validate() error {
	switch {
	case c.Reload < 0:
		return usagef("--reload: found %v, want a time >= 0", c.Reload)
	case c.Connections < 1:
		return usagef("--connections: found %d, want at least 1", c.Connections)
	case c.TLSCert == "" && c.TLSKey != "":
		return usagef("--tls-key: found no --tls-cert, want both")
	case c.TLSCert != "" && c.TLSKey == "":
		return usagef("--tls-cert: found no --tls-key, want both")
	case c.Timeout <= 0:
		return usagef("--timeout: found %v, want a time > 0", c.Timeout)
	}
	return nil
}

func (c *serveCmd) Run(s *session.Session) error {
	if err := c.validate(); err != nil {
		return err
	}
	s.Listen(&session.ProgressFlags{Log: c.Log})
	log := s.Log
	if log == nil {
		log = slog.New(plainLog{s, new(sync.Mutex)})
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	info, _ := debug.ReadBuildInfo()
	models := make([]string, len(c.Models))
	for i, m := range c.Models {
		models[i] = string(m)
	}
	memory, room := c.Mem.Bytes(), c.Mem.Bytes()
	if c.Mem == 0 {
		room = 256 << 20
	}
	free := session.LimitMemory(memory)
	server, err := serve.New(models, serve.Config{Memory: memory, Room: room, Features: c.Features, MaxBody: int64(c.MaxBody), Running: c.Requests,
		Connections: c.Connections, Cert: c.TLSCert, Key: c.TLSKey, Token: c.TokenFile, Hosts: c.Host, Timeout: c.Timeout, Grace: c.Timeout, Watch: cmp.Or(c.Reload, -1), // never
		Again: again, Version: newVersionReport(info).Version, Log: log})
	free()
	if err != nil {
		return err
	}
	const read = 3 // times its bytes, a model that comes in the place of an old one
	defer session.LimitMemory(min(memory, room+read*server.Bytes()))()
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	defer l.Close() // which Serve has done, unless the line cannot be written
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	j := &serveJSON{Address: l.Addr().String(), Models: slices.Sorted(maps.Keys(server.Models()))}
	if s.JSON {
		err = s.WriteJSON(j)
	} else {
		_, err = fmt.Fprintf(s.Stdout, "listening on %s://%s\n", scheme, j.Address)
	}
	if err != nil {
		return err
	}
	return server.Serve(s.Context, l)
}

// plainLog writes events as the command's other lines are.
type plainLog struct {
	s  *session.Session
	mu *sync.Mutex
}

func (plainLog) Enabled(context.Context, slog.Level) bool { return true }
func (l plainLog) WithAttrs([]slog.Attr) slog.Handler     { return l }
func (l plainLog) WithGroup(string) slog.Handler          { return l }

func (l plainLog) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := fmt.Fprintf(l.s.Stderr, "sparsekm: %s\n", r.Message)
	return err
}

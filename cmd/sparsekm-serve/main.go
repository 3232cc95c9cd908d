// Command sparsekm-serve answers HTTP requests with the predictions of models.
//
//	sparsekm-serve ripley.skm flowers=iris.skm
//
// It speaks the Open Inference Protocol (version 2), KServe's version 1, plain JSON and CSV. Files that change are read
// again while the old models serve. `sparsekm-serve --help` lists its flags. It listens until it is interrupted, and
// ends with 0 then. Other exit statuses: 1 the work failed, 2 wrong usage.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	_ "github.com/sparsekm/sparsekm/model/importers/all"
)

func main() {
	session.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) })
}

// options are the flags and arguments.
type options struct {
	models    []string
	addr      string
	config    Config
	memory    session.ByteSize
	body      session.ByteSize
	json      bool
	version   bool
	logFormat string
}

const usage = `Usage: sparsekm-serve [flags] MODEL ...

Answer HTTP requests with the predictions of models, each under its file's name or as NAME=FILE.

`

// parse reads the command line; flags may stand behind models.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{body: 4 << 20}
	f := flag.NewFlagSet("sparsekm-serve", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprint(stderr, usage)
		f.PrintDefaults()
	}
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "listen at `HOST:PORT`, for HTTP but not gRPC; port 0 takes a free one")
	f.BoolVar(&o.json, "json", false, "say as JSON where the server listens")
	f.BoolVar(&o.version, "version", false, "show the version")
	f.StringVar(&o.logFormat, "log", "text", "form of standard error: text, or json with an object a line")
	f.BoolVar(&o.config.Access, "access-log", false, "write a line for each request to standard error: time, remote\n"+
		"address, method, path, status, bytes, seconds")
	o.trustFlags(f)
	o.limitFlags(f)
	for {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		if f.NArg() == 0 {
			return o, o.validate()
		}
		o.models, args = append(o.models, f.Arg(0)), f.Args()[1:]
	}
}

// trustFlags declares who may ask.
func (o *options) trustFlags(f *flag.FlagSet) {
	c := &o.config
	f.StringVar(&c.Cert, "tls-cert", "", "`FILE` of certificates in PEM: answer by HTTPS; read again when it changes")
	f.StringVar(&c.Key, "tls-key", "", "`FILE` of the certificate's key in PEM")
	f.StringVar(&c.Token, "token-file", "", "`FILE` with a token of at least 16 bytes. Requests need it as\n"+
		"Authorization: Bearer TOKEN, but for the server's health; others get 401")
	f.Func("host", "requests may call the server by this `NAME`, others get 421; may be repeated. Addresses and\n"+
		"localhost may always (default: no other name on a local address, any elsewhere)", func(name string) error {
		c.Hosts = append(c.Hosts, strings.Split(name, ",")...)
		return nil
	})
}

// limitFlags declares what models and requests may take.
func (o *options) limitFlags(f *flag.FlagSet) {
	c := &o.config
	f.IntVar(&c.Features, "features", 0, "features of a sample, for models of LIBSVM files, which do not tell\n"+
		"(default: the largest index in the model)")
	f.DurationVar(&c.Watch, "reload", time.Second, "`TIME` between two looks at the files, which are read again when\n"+
		"they have changed, and at SIGHUP; 0: at SIGHUP alone")
	f.Func("max-body", "`SIZE` of a request in bytes, longer ones get 413 (default 4MiB)", size(&o.body))
	f.IntVar(&c.Running, "requests", 0, "requests for predictions that are worked on at once, of which one address\n"+
		"has three quarters at most; more get 429 (default: 16 a processor)")
	f.IntVar(&c.Connections, "connections", 1024, "open connections; a new one replaces the one that waited longest, of\n"+
		"the address that has most")
	f.DurationVar(&c.Timeout, "timeout", 10*time.Second, "`TIME` for a request, and for those that run at the stop")
	f.Func("mem", "memory `SIZE` of the models, old and new ones while files are read again, and of requests\n"+
		"(default: half of what the host, or its control group, has; of requests 256MiB at most)", size(&o.memory))
}

// size returns a function that reads a number of bytes.
func size(b *session.ByteSize) func(string) error {
	return func(text string) error { return b.UnmarshalText([]byte(text)) }
}

func (o *options) validate() error {
	c := &o.config
	switch {
	case o.version:
		return nil
	case len(o.models) == 0:
		return session.Usagef("found no model, want sparsekm-serve MODEL ...")
	case c.Watch < 0:
		return session.Usagef("--reload: found %v, want a time >= 0", c.Watch)
	case c.Running < 0:
		return session.Usagef("--requests: found %d, want at least 0", c.Running)
	case c.Features < 0:
		return session.Usagef("--features: found %d, want at least 0", c.Features)
	case c.Connections < 1:
		return session.Usagef("--connections: found %d, want at least 1", c.Connections)
	case c.Cert == "" && c.Key != "":
		return session.Usagef("--tls-key: found no --tls-cert, want both")
	case c.Cert != "" && c.Key == "":
		return session.Usagef("--tls-cert: found no --tls-key, want both")
	case c.Timeout <= 0:
		return session.Usagef("--timeout: found %v, want a time > 0", c.Timeout)
	case o.logFormat != "text" && o.logFormat != "json":
		return session.Usagef("--log: found %q, want text or json", o.logFormat)
	}
	return nil
}

// run is the program without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return session.Done
	case err == nil && o.version:
		fmt.Fprintln(stdout, buildVersion())
		return session.Done
	case o == nil: // package flag has said why
		return session.Usage
	}
	log := slog.New(slog.Handler(&lineHandler{w: stderr}))
	if o.logFormat == "json" {
		log = slog.New(slog.NewJSONHandler(stderr, nil))
	}
	if err == nil {
		err = o.listen(ctx, stdout, log)
	}
	if err != nil {
		log.Error(err.Error())
	}
	return session.StatusOf(err)
}

// listen reads the models and serves them until the context ends.
func (o *options) listen(ctx context.Context, stdout io.Writer, log *slog.Logger) error {
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	c := o.config
	c.Memory, c.Room = o.memory.Bytes(), o.memory.Bytes()
	if o.memory == 0 {
		c.Room = 256 << 20
	}
	c.MaxBody, c.Watch = int64(o.body), cmp.Or(c.Watch, -1) // never
	c.Again, c.Version, c.Log = again, buildVersion(), log
	free := session.LimitMemory(c.Memory)
	server, err := newServer(o.models, c)
	free()
	if err != nil {
		return err
	}
	const read = 3 // times its bytes, a model that replaces an old one
	defer session.LimitMemory(min(c.Memory, c.Room+read*server.Bytes()))()
	l, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	defer l.Close() // which Serve has done, unless the line cannot be written
	if o.json {
		err = fileformat.Encode(stdout, &listening{l.Addr().String(), slices.Sorted(slices.Values(server.names))})
	} else {
		scheme := "http"
		if c.Cert != "" {
			scheme = "https"
		}
		_, err = fmt.Fprintf(stdout, "listening on %s://%s\n", scheme, l.Addr())
	}
	if err != nil {
		return err
	}
	return server.Serve(ctx, l)
}

// listening is what --json prints when the server listens.
type listening struct {
	Address string   `json:"address"` // with the port that was taken
	Models  []string `json:"models"`
}

// buildVersion is what the build knows of the program's version.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return cmp.Or(info.Main.Version, "(devel)")
	}
	return "unknown"
}

// lineHandler writes each event as a line of text. One with attributes has its time before them.
type lineHandler struct{ w io.Writer }

func (*lineHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h *lineHandler) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h *lineHandler) WithGroup(string) slog.Handler          { return h }

func (h *lineHandler) Handle(_ context.Context, r slog.Record) error {
	line := "sparsekm-serve: " + strings.TrimPrefix(r.Message, "sparsekm: ")
	if r.NumAttrs() > 0 {
		line += " time=" + r.Time.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	r.Attrs(func(a slog.Attr) bool {
		value := a.Value.String()
		if a.Key == "path" {
			value = strconv.Quote(value) // a client wrote it
		}
		line += " " + a.Key + "=" + value
		return true
	})
	_, err := io.WriteString(h.w, line+"\n") // one write a line
	return err
}

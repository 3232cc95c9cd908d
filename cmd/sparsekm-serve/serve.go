package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sparsekm/sparsekm/model"
)

// Config says how to serve. The zero value of a field means its default.
type Config struct {
	Features    int              // of models of LIBSVM files, which do not tell; 0 means the largest index of a vector
	Memory      int64            // bytes of all models while they are read, and of requests; default model.DefaultMemory
	Room        int64            // bytes of requests at most, one alone excepted; default what the models leave of Memory
	MaxBody     int64            // bytes of a request; default 4 MiB
	Running     int              // predictions that are worked on at once; default 16 a processor, more are refused
	Connections int              // that are open; default 1024, and a new one takes the place of one that waited
	Cert, Key   string           // files for TLS, in PEM; default none
	Token       string           // a file with the bearer token of requests, but for the server's health; default none
	Hosts       []string         // names that clients may call the server by; default any on an address that is not local
	Timeout     time.Duration    // for the whole of a request, and for those that run at the stop; default 10 s
	Watch       time.Duration    // between two looks at the files; default 1 s, negative for none
	Again       <-chan os.Signal // each has the files looked at, too
	Version     string           // of the program, for clients that ask
	Log         *slog.Logger     // of models that were read or could not be; default none
	Access      bool             // has every request logged, too
}

func (c Config) complete() Config {
	c.Memory = cmp.Or(c.Memory, model.DefaultMemory)
	c.Room = cmp.Or(c.Room, c.Memory)
	c.MaxBody = cmp.Or(c.MaxBody, 4<<20)
	c.Running = cmp.Or(c.Running, 16*runtime.GOMAXPROCS(0))
	c.Connections = cmp.Or(c.Connections, 1024)
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.Watch = cmp.Or(c.Watch, time.Second)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// Server serves models. Its methods may be called by any number of goroutines.
type Server struct {
	config   Config
	names    []string // in the order that they were given
	models   map[string]*served
	mux      *http.ServeMux
	figures  *figures
	origins  http.CrossOriginProtection
	clients  clients
	secrets  secrets
	stopping atomic.Bool
	reading  sync.Mutex // held by Reload
}

// newServer reads the models, each of which is a file or NAME=FILE ([Name]). An error names the file.
func newServer(models []string, c Config) (*Server, error) {
	s := &Server{config: c.complete(), models: map[string]*served{}, figures: newFigures()}
	s.clients = clients{max: s.config.Connections, open: map[*client]bool{}, each: map[string]int{}}
	s.secrets.changed(&s.config) // before they are read
	if err := s.secrets.read(&s.config); err != nil {
		return nil, err
	}
	for _, spec := range models {
		m := &served{}
		m.name, m.file = Name(spec)
		if m.name == "" {
			return nil, fmt.Errorf("%s: found no name for the model, want NAME=FILE", spec)
		}
		if other := s.models[m.name]; other != nil {
			return nil, fmt.Errorf("%s and %s are both called %s: name one of them, as NAME=FILE", other.file, m.file, m.name)
		}
		v, err := s.read(m.file)
		if err != nil {
			return nil, err
		}
		m.now.Store(v)
		m.seen = v.info
		s.names, s.models[m.name] = append(s.names, m.name), m
	}
	s.route()
	return s, nil
}

// handler returns an object for JSON, or raw text; an error that is no [failure] is the server's own.
type handler func(*http.Request) (any, error)

// route is a path that the server answers. It is all that the list of / and the OpenAPI document know of it.
type route struct {
	method, path string // a path's verb after a colon is written as a part of its own
	about        string
	open         bool   // without a token
	takes, gives any    // of the types that JSON has; nil for none
	other        string // the content type that may come instead of JSON
	answer       handler
}

// shown is a path as clients write it.
func shown(path string) string {
	return strings.ReplaceAll(strings.TrimSuffix(path, "{$}"), "/:", ":")
}

// routes declares what the server answers.
func (s *Server) routes() []route {
	const text, csv, binary = "text/plain", "text/csv", "application/octet-stream"
	live := func(*http.Request) (any, error) { return liveAnswer{true}, nil }
	list := func(*http.Request) (any, error) { return modelList{s.names}, nil }
	const v1, v2, at = "/v1/models", "/v2/models", "/{name}/versions/{version}"
	take, answer, server, model := inferRequest{}, inferAnswer{}, readyAnswer{}, modelReady{}
	return []route{
		{"GET", "/{$}", "models and paths", false, nil, index{}, "", s.index},
		{"GET", "/openapi.json", "this document", false, nil, map[string]any{}, "", s.openAPI},
		{"GET", "/metrics", "figures for Prometheus", false, nil, nil, text, s.metrics},
		{"POST", "/predict", "predictions of the only model", false, predictRequest{}, predictAnswer{}, csv, s.named(s.predict)},
		{"POST", "/predict/{name}", "predictions", false, predictRequest{}, predictAnswer{}, csv, s.named(s.predict)},
		{"GET", "/healthz", "whether the server lives", true, nil, liveAnswer{}, "", live},
		{"GET", "/livez", "whether the server lives", true, nil, liveAnswer{}, "", live},
		{"GET", "/readyz", "whether all models are there", true, nil, server, "", s.ready},
		{"GET", "/v2", "the server", false, nil, about{}, "", s.about},
		{"GET", "/v2/health/live", "whether the server lives", true, nil, liveAnswer{}, "", live},
		{"GET", "/v2/health/ready", "whether all models are there", true, nil, server, "", s.ready},
		{"POST", "/v2/repository/index", "models with their versions", false, nil, []entry{}, "", s.repository},
		{"GET", v2, "names of models", false, nil, modelList{}, "", list},
		{"GET", v2 + "/{name}", "inputs and outputs", false, nil, metadata{}, "", s.named(metadataOf)},
		{"GET", v2 + at, "inputs and outputs", false, nil, metadata{}, "", s.named(metadataOf)},
		{"GET", v2 + "/{name}/config", "Triton's configuration", false, nil, config{}, "", s.named(configOf)},
		{"GET", v2 + at + "/config", "Triton's configuration", false, nil, config{}, "", s.named(configOf)},
		{"GET", v2 + "/{name}/ready", "whether the model is there", false, nil, model, "", s.named(s.modelReady)},
		{"GET", v2 + at + "/ready", "whether the model is there", false, nil, model, "", s.named(s.modelReady)},
		{"POST", v2 + "/{name}/infer", "predictions as tensors", false, take, answer, binary, s.named(s.infer)},
		{"POST", v2 + at + "/infer", "predictions as tensors", false, take, answer, binary, s.named(s.infer)},
		{"GET", v1, "names of models", false, nil, modelList{}, "", list},
		{"GET", v1 + "/{name}", "whether the model is there", false, nil, model, "", s.named(s.modelReady)},
		{"GET", v1 + at, "whether the model is there", false, nil, model, "", s.named(s.modelReady)},
		{"POST", v1 + "/{name}/:predict", "predictions of instances", false, v1Request{}, v1Answer{}, "", s.named(s.predictV1)},
		{"POST", v1 + at + "/:predict", "predictions of instances", false, v1Request{}, v1Answer{}, "", s.named(s.predictV1)},
	}
}

// route has the server answer its routes, and say that it has no others.
func (s *Server) route() {
	s.mux = http.NewServeMux()
	for _, r := range append(s.routes(), route{path: "/", answer: func(r *http.Request) (any, error) {
		return nil, failf(http.StatusNotFound, "found %s, want one of the paths that / lists", shown(r.URL.Path))
	}}) {
		s.mux.HandleFunc(r.path, func(w http.ResponseWriter, q *http.Request) {
			began := time.Now()
			q.Body = http.MaxBytesReader(w, q.Body, s.config.MaxBody)
			ctx, cancel := context.WithTimeout(q.Context(), s.config.Timeout)
			defer cancel()
			var v any
			c := s.client(q)
			ctx = context.WithValue(ctx, clientKey{}, c)
			defer func() { _ = s.hold(c, 0) }()
			err := s.enter(q, r.open)
			if err != nil {
				w.Header().Set("Connection", "close") // what the client still sends is not read
			} else if r.method == "" || q.Method == r.method || r.method == "GET" && q.Method == "HEAD" {
				v, err = r.answer(q.WithContext(ctx))
			} else {
				w.Header().Set("Allow", r.method)
				err = failf(http.StatusMethodNotAllowed, "found the method %s, want %s", q.Method, r.method)
			}
			status, size := s.write(w, q.WithContext(ctx), v, err)
			took := time.Since(began)
			s.figures.count(strings.ReplaceAll(q.Pattern, "/:", ":"), r.method == "POST" && r.takes != nil, status, took)
			if s.config.Access {
				s.access(q, status, size, took)
			}
		})
	}
}

// access writes a line of the access log. A request's parameters stay out of it.
func (s *Server) access(q *http.Request, status, size int, took time.Duration) {
	path, _, _ := strings.Cut(q.RequestURI, "?")
	s.config.Log.Info("request", "remote", q.RemoteAddr, "method", q.Method, "path", path, "status", status, "bytes", size,
		"seconds", took.Seconds())
}

// ServeHTTP answers a request. Clients add slashes at the end of a path and at its beginning; a redirection would lose
// their bodies.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to := path.Clean("/" + r.URL.Path)
	if at := strings.LastIndexByte(to, ':'); r.Method == "POST" && at > 0 && strings.HasPrefix(to, "/v1/models/") {
		to = to[:at] + "/" + to[at:]
	}
	if to != r.URL.Path {
		q, u := *r, *r.URL
		u.Path, u.RawPath, q.URL = to, "", &u
		r = &q
	}
	s.mux.ServeHTTP(w, r)
}

// Serve answers the requests that come through the listener until ctx ends, which is no error: then it takes no
// more, and waits for those that run.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ConnState:         s.clients.state,
		ConnContext:       s.clients.context,
		Protocols:         new(http.Protocols),
		ReadHeaderTimeout: s.config.Timeout,
		ReadTimeout:       s.config.Timeout,
		WriteTimeout:      s.config.Timeout + time.Second, // to say that the time is over
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.config.Log.Handler(), slog.LevelWarn),
	}
	server.Protocols.SetHTTP1(true) // a connection has one request at a time
	l = gate{l, &s.clients}
	if c := s.secrets.tls(); c != nil {
		l = tls.NewListener(l, c)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	var ticks <-chan time.Time
	if s.config.Watch > 0 {
		clock := time.NewTicker(s.config.Watch)
		defer clock.Stop()
		ticks = clock.C
	}
	for {
		select {
		case <-ticks:
			s.Reload()
		case <-s.config.Again:
			s.Reload()
		case err := <-ended:
			return err
		case <-ctx.Done():
			s.stopping.Store(true)
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.Timeout)
			defer cancel()
			if err := server.Shutdown(last); err != nil {
				return fmt.Errorf("requests still ran after %v: %w", s.config.Timeout, errors.Join(err, server.Close()))
			}
			return nil
		}
	}
}

// failure is an error with the status that it has in HTTP.
type failure struct {
	error
	status int
}

func failf(status int, format string, args ...any) error {
	return failure{fmt.Errorf(format, args...), status}
}

func (f failure) Unwrap() error { return f.error }

// raw is an answer that is no JSON object.
type raw struct {
	kind string
	text []byte
	head int // bytes of the JSON object that binary data follow; 0 for none
}

// write writes an answer or an error, and returns the status and the bytes of the body.
func (s *Server) write(w http.ResponseWriter, r *http.Request, v any, err error) (status, size int) {
	status = http.StatusOK
	if err != nil {
		status = http.StatusInternalServerError
		if f, ok := errors.AsType[failure](err); ok {
			status = f.status
		}
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		v = errorAnswer{err.Error()}
	}
	body, ok := v.(raw)
	if !ok {
		text, failed := json.Marshal(v)
		if failed != nil {
			panic("serve: " + failed.Error()) // an answer has finite numbers and text alone
		}
		body = raw{"application/json", append(text, '\n'), 0}
	}
	w.Header().Set("Content-Type", body.kind)
	if body.head > 0 {
		w.Header().Set(headerLength, fmt.Sprint(body.head))
	}
	text, coding := compress(body.text, r.Header.Get("Accept-Encoding"))
	if coding != "" {
		w.Header().Set("Content-Encoding", coding)
	}
	_ = s.hold(s.client(r), int64(len(text))) // which is less than the work took
	w.Header().Set("Vary", "Accept, Accept-Encoding")
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	w.WriteHeader(status)
	size, _ = w.Write(text) // to a client that may have gone
	return status, size
}

// enter refuses requests that a web page of another origin made, and those without the token where it is wanted.
func (s *Server) enter(r *http.Request, open bool) error {
	if err := s.trust(r); err != nil || open {
		return err
	}
	return s.secrets.admit(r)
}

// hold sets the memory that a request takes.
func (s *Server) hold(c *client, bytes int64) error {
	return s.clients.hold(c, bytes, min(s.config.Room, s.config.Memory-s.Bytes()))
}

// work reads a request for predictions, and takes a place for it and its memory, which grows with the rows: they are as
// short as can be.
func (s *Server) work(r *http.Request) (body []byte, leave func(), err error) {
	const perByte, numbers = 160, 96 << 20 // the second is that of [maxNumbers]
	if body, err = s.body(r); err != nil {
		return nil, nil, err
	}
	n, c := int64(len(body)), s.client(r)
	if err = s.hold(c, n+min(perByte*n, numbers)); err != nil {
		return nil, nil, err
	}
	leave, err = s.clients.work(c, s.config.Running)
	return body, leave, err
}

// named finds the model that a path names, the only one where it names none.
func (s *Server) named(answer func(*http.Request, *served, *version) (any, error)) handler {
	return func(r *http.Request) (any, error) {
		name := r.PathValue("name")
		if name == "" && len(s.names) == 1 {
			name = s.names[0]
		}
		m := s.models[name]
		switch {
		case name == "":
			return nil, failf(http.StatusBadRequest, "found no model's name, want /predict/NAME with one of %s",
				strings.Join(s.names, ", "))
		case m == nil:
			return nil, failf(http.StatusNotFound, "found the model %q, want one of %s", name, strings.Join(s.names, ", "))
		}
		v := m.now.Load()
		if want := r.PathValue("version"); want != "" && want != latest && want != v.id() {
			return nil, failf(http.StatusNotFound, "found version %q of %s, want %s or %s", want, name, latest, v.id())
		}
		return answer(r, m, v)
	}
}

// index lists what there is.
type index struct {
	Models []string `json:"models"`
	Paths  []string `json:"paths"`
}

func (s *Server) index(*http.Request) (any, error) {
	var paths []string
	for _, r := range s.routes() {
		paths = append(paths, r.method+" "+strings.NewReplacer("{name}", "NAME", "{version}", latest).Replace(shown(r.path)))
	}
	return index{s.names, paths}, nil
}

// about is the server's metadata.
type about struct {
	Extensions []string `json:"extensions"`
	Name       string   `json:"name"`
	Version    string   `json:"version"`
}

func (s *Server) about(*http.Request) (any, error) {
	return about{[]string{"binary_tensor_data", "model_configuration"}, "sparsekm", s.config.Version}, nil
}

// What the questions for a server's state, for a model's and for all models are answered by.
type (
	errorAnswer struct {
		Error string `json:"error"`
	}
	liveAnswer struct {
		Live bool `json:"live"`
	}
	readyAnswer struct {
		Ready bool `json:"ready"`
	}
	modelReady struct {
		Name  string `json:"name"`
		Ready bool   `json:"ready"`
	}
	modelList struct {
		Models []string `json:"models"`
	}
)

// ready asks whether all models are there, which they are until the server stops.
func (s *Server) ready(*http.Request) (any, error) {
	if s.stopping.Load() {
		return nil, failf(http.StatusServiceUnavailable, "the server stops")
	}
	return readyAnswer{true}, nil
}

func (s *Server) modelReady(_ *http.Request, m *served, _ *version) (any, error) {
	if _, err := s.ready(nil); err != nil {
		return nil, err
	}
	return modelReady{m.name, true}, nil
}

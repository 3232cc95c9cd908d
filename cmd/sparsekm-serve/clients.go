package main

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// A client that sends slowly, or does not read, keeps a connection and memory. Where one of both runs out, the client
// that waited longest, of the address that has most, loses its connection. So nobody can lock others out by waiting.

// patience is how long a client may keep memory that another one of the same address asks for.
const patience = time.Second

// client is a connection. Its fields are guarded by clients.mu.
type client struct {
	net.Conn // nil in tests without a listener
	of       *clients
	from     string    // whose connection it is: an IPv4 address, or the network of an IPv6 address
	since    time.Time // of the last request's beginning or end
	working  bool      // on a prediction: it is never closed
	closed   bool
	bytes    int64 // that its request takes
}

// clients are all connections, and what their requests take.
type clients struct {
	mu      sync.Mutex
	open    map[*client]bool
	max     int            // connections
	running int            // predictions
	each    map[string]int // of these, by address
	bytes   int64          // of all requests
}

// Close ends the connection; the server may call it more than once.
func (c *client) Close() error {
	c.of.mu.Lock()
	c.closed = true
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// origin is the owner of an address as far as it tells: with IPv6 everyone has a network of 2⁶⁴.
func origin(a net.Addr) string {
	addrPort, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return a.String()
	}
	bits := 32
	if addrPort.Addr().Unmap().Is6() {
		bits = 64
	}
	prefix, err := addrPort.Addr().Unmap().WithZone("").Prefix(bits)
	if err != nil {
		return addrPort.Addr().String()
	}
	return prefix.String()
}

// gate makes connections clients, of which there are at most so many.
type gate struct {
	net.Listener
	of *clients
}

func (l gate) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &client{Conn: conn, of: l.of, from: origin(conn.RemoteAddr()), since: time.Now()}
		l.of.mu.Lock()
		ok := len(l.of.open) < l.of.max || l.of.close(c, func(*client) int64 { return 1 }, 0)
		if ok {
			l.of.open[c] = true
		}
		l.of.mu.Unlock()
		if ok {
			return c, nil
		}
		_ = conn.Close() // predictions have all connections
	}
}

// close ends the connection that waited longest, of the address with the largest sum of sizes. It spares those of size
// 0, those that are worked on, and for an age those of addresses that have no more than the one of the newcomer.
func (s *clients) close(newcomer *client, size func(*client) int64, age time.Duration) bool {
	sums := map[string]int64{}
	for c := range s.open {
		sums[c.from] += size(c)
	}
	now := time.Now()
	var victim *client
	for c := range s.open {
		if c == newcomer || c.working || size(c) == 0 || sums[c.from] <= sums[newcomer.from] && now.Sub(c.since) < age {
			continue
		}
		if victim == nil || sums[c.from] > sums[victim.from] || sums[c.from] == sums[victim.from] &&
			c.since.Before(victim.since) {
			victim = c
		}
	}
	if victim == nil {
		return false
	}
	s.bytes -= victim.bytes
	victim.bytes, victim.closed = 0, true
	delete(s.open, victim)
	_ = victim.Conn.Close() // its handler fails to read or write, and ends
	return true
}

// hold sets the bytes that a request takes. Where memory, which the models leave, has no room for more, others lose
// their connections; a request alone always has room.
func (s *clients) hold(c *client, bytes, memory int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	others := s.bytes - c.bytes
	for bytes > c.bytes && others > 0 && others+bytes > memory {
		if c.closed || !s.close(c, func(c *client) int64 { return c.bytes }, patience) {
			return failf(http.StatusTooManyRequests, "requests take %d bytes, and there is memory for %d: try again", others,
				max(0, memory))
		}
		others = s.bytes - c.bytes
	}
	if c.closed && bytes > 0 {
		return failf(http.StatusTooManyRequests, "the connection was closed to make room for others")
	}
	s.bytes += bytes - c.bytes
	c.bytes = bytes
	return nil
}

// work takes one of the places of predictions, of which an address has three quarters at most.
func (s *clients) work(c *client, limit int) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := s.each[c.from]
	switch {
	case s.running >= limit:
		return nil, failf(http.StatusTooManyRequests,
			"%d requests are worked on, and there may not be more: try again", limit)
	case same >= (3*limit+3)/4:
		return nil, failf(http.StatusTooManyRequests, "%d of %d requests that may be worked on are of your address: try "+
			"again", same, limit)
	}
	s.running++
	s.each[c.from]++
	c.working = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running--
		if s.each[c.from]--; s.each[c.from] == 0 {
			delete(s.each, c.from)
		}
		c.working, c.since = false, time.Now()
	}, nil
}

// busy returns the number of predictions that are worked on.
func (s *clients) busy() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// state notes when a connection's request began or ended.
func (s *clients) state(conn net.Conn, state http.ConnState) {
	if c := clientOf(conn); c != nil && (state == http.StateActive || state == http.StateIdle) {
		s.mu.Lock()
		c.since = time.Now()
		s.mu.Unlock()
	}
}

// clientOf finds the client below TLS.
func clientOf(conn net.Conn) *client {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	c, _ := conn.(*client)
	return c
}

type clientKey struct{}

// context has requests know their clients.
func (s *clients) context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, clientKey{}, clientOf(conn))
}

// client returns a request's client; one of its own where no listener of this package made it.
func (s *Server) client(r *http.Request) *client {
	if c, _ := r.Context().Value(clientKey{}).(*client); c != nil {
		return c
	}
	return &client{of: &s.clients, from: r.RemoteAddr}
}

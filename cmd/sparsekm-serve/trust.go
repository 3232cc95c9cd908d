package main

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A web page may not use a server that its reader can reach and its author cannot. Browsers say where a request comes
// from, and refuse to read answers of other origins. A page evades both if its own name comes to stand for the server's
// address (DNS rebinding): then the request names the page's host.

// trust refuses requests of web pages of another origin, and those for another host.
func (s *Server) trust(r *http.Request) error {
	if host := hostname(r.Host); !s.called(r, host) {
		return failf(http.StatusMisdirectedRequest, "found a request for the host %q, want an address, localhost or a "+
			"name that --host lists", host)
	}
	if err := s.origins.Check(r); err != nil {
		return failf(http.StatusForbidden, "found a request that a web page of another origin made: %w", err)
	}
	return nil
}

// called reports whether clients may call the server by a host. No name that an attacker owns is an address.
func (s *Server) called(r *http.Request, host string) bool {
	_, err := netip.ParseAddr(host)
	if err == nil || host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	if len(s.config.Hosts) > 0 {
		return slices.ContainsFunc(s.config.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return !ok || !local.IP.IsLoopback()
}

// hostname is the host of "host:port" in lower case, without brackets.
func hostname(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	return strings.ToLower(strings.Trim(address, "[]"))
}

// byPage reports whether a script of a web page made the request.
func byPage(r *http.Request) bool {
	return r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != ""
}

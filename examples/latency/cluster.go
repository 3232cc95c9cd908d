package main

import (
	"math"
	"math/rand/v2"
)

// Features of a server for a request.
const (
	work    = iota // ln(size of the request)
	backlog        // work that waits before it, in units of a typical request
	pace           // what this server has taken for a unit of work lately
	garbage        // share of its memory that garbage fills: at 1 it stops to collect
	fresh          // 1 if it has this tenant's data at hand
	features
)

// server handles requests one after another.
type server struct {
	speed   float64
	free    float64 // when it has done all that it has
	filled  float64 // share of its memory
	pace    float64
	tenants [recent]int // served last
	turn    int
}

const (
	recent  = 4    // tenants whose data a server has at hand
	collect = 8.0  // what a collection takes, in the time of a typical request
	load    = 0.35 // of the servers' speeds, without collections and data that must be fetched
)

// request is one of a tenant. Sizes have a long tail.
type request struct {
	at, size float64
	tenant   int
}

// cluster is a simulated cluster of servers with unknown speeds.
type cluster struct {
	servers []server
	rate    float64 // of requests
	rng     *rand.Rand
	now     float64
}

func newCluster(n int, seed uint64) *cluster {
	c := &cluster{servers: make([]server, n), rng: rand.New(rand.NewPCG(seed, 0))}
	for i := range c.servers {
		c.servers[i] = server{speed: math.Exp(c.rng.NormFloat64() / 2), filled: c.rng.Float64(), pace: 1}
		c.rate += load * c.servers[i].speed
	}
	return c
}

// slow makes every third server slower, as a bad release would.
func (c *cluster) slow() {
	for i := 0; i < len(c.servers); i += 3 {
		c.servers[i].speed /= 3
	}
}

// arrive draws the next request.
func (c *cluster) arrive() request {
	c.now += c.rng.ExpFloat64() / c.rate
	return request{c.now, math.Exp(c.rng.NormFloat64()) / math.Sqrt(math.E), 1 + c.rng.IntN(4*len(c.servers))}
}

// describe writes the features of every server for a request.
func (c *cluster) describe(x []float64, r request) {
	for i := range c.servers {
		s, row := &c.servers[i], x[i*features:(i+1)*features]
		row[work], row[backlog], row[pace], row[garbage] = math.Log(r.size), max(0, s.free-r.at)/s.pace, s.pace, s.filled
		row[fresh] = 0
		if s.has(r.tenant) {
			row[fresh] = 1
		}
	}
}

// has reports whether the tenant's data is at hand.
func (s *server) has(tenant int) bool {
	for _, t := range s.tenants {
		if t == tenant {
			return true
		}
	}
	return false
}

// after returns the latency that a request would have, and the server as it would be.
func (s server) after(r request) (latency float64, next server) {
	took := r.size / s.speed
	if !s.has(r.tenant) {
		took *= 1.6
		s.tenants[s.turn], s.turn = r.tenant, (s.turn+1)%recent
	}
	s.pace += (took/r.size - s.pace) / 20
	if s.filled += 0.02 * r.size; s.filled > 1 {
		took += collect / s.speed
		s.filled = 0
	}
	s.free = max(s.free, r.at) + took
	return s.free - r.at, s
}

// send gives a request to a server and returns its latency.
func (c *cluster) send(r request, to int) (latency float64) {
	latency, c.servers[to] = c.servers[to].after(r)
	return latency
}

package learn

import (
	"fmt"
	"strings"
)

// Event reports the progress of a training. Unknown numbers are 0, and an unknown Round is nil.
type Event struct {
	Phase     string  // "round", "smo", "select", "prune", "move", "delta", "models", ...
	Done      float64 // fraction done in [0, 1], or −1 when it cannot be known
	Text      string  // what is trained, for people: "class 2 against the rest"
	Step      int     // rounds, steps or models done
	Vectors   int     // support vectors of the model now: chosen so far, or left
	Violation float64 // largest violation of the optimality conditions
	Round     *Round  // the round that has just ended; the receiver may keep it
}

// OfRound returns the event at the end of round number step, from 1.
func OfRound(phase string, step int, r Round) Event {
	return Event{Phase: phase, Done: -1, Step: step, Vectors: r.Nonzeros, Violation: r.KKT, Round: &r}
}

// String formats the event for people: "round 3: objective 73.61, 12 vectors".
func (e Event) String() string {
	head := e.Phase
	if e.Step > 0 {
		head += fmt.Sprintf(" %d", e.Step)
	}
	var says []string
	if e.Text != "" {
		says = append(says, e.Text)
	}
	if e.Round != nil {
		says = append(says, fmt.Sprintf("objective %.6g", e.Round.Objective))
	}
	if e.Vectors > 0 {
		says = append(says, fmt.Sprintf("%d vectors", e.Vectors))
	}
	if e.Violation > 0 {
		says = append(says, fmt.Sprintf("violation %.2g", e.Violation))
	}
	if len(says) == 0 {
		return head
	}
	return head + ": " + strings.Join(says, ", ")
}

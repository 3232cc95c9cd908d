package learn

import (
	"fmt"
	"strings"
)

// Event is one sign of life of a long training. Numbers that are not known are 0, and Round is nil.
type Event struct {
	Phase     string  // "round", "smo", "select", "prune", "move", "delta", "models", ...
	Done      float64 // fraction done in [0, 1], or −1 when it cannot be known
	Text      string  // what the numbers do not say, for people: "class 2 against the rest"
	Step      int     // rounds, steps or models done
	Vectors   int     // that the model has now: chosen so far, or left
	Violation float64 // largest violation of the optimality conditions
	Round     *Round  // that has just ended; the receiver's own
}

// OfRound is the event at the end of round number step.
func OfRound(phase string, step int, r Round) Event {
	return Event{Phase: phase, Done: -1, Step: step, Vectors: r.Nonzeros, Violation: r.KKT, Round: &r}
}

// String is what the event says to people: "round 3: objective 73.61, 12 vectors".
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

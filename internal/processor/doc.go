// Package processor knows how long a process has worked, which other work on the machine does not add to.
package processor

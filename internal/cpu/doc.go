// Package processor measures the processor time of a process. Other work on the host does not add to it.
package cpu

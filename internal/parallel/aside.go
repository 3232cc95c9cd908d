package parallel

// Aside has another goroutine run f, which is work that may be needed soon. end waits for f if it has begun, and
// otherwise sees to it that it never does. A panic of f becomes one of end, a [Panic]. In a simulation f does not run.
func Aside(f func()) (end func()) {
	if simulated.Load() != nil {
		return func() {}
	}
	j := newJob(1, func(int) { f() })
	enlist(j, 1)
	return func() {
		if j.next.Add(1) == 1 { // and so no goroutine will take it
			j.left.Store(0)
			j.wait.Done()
		}
		j.finish()
	}
}

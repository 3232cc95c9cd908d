package session

import "strings"

// Completions are the words that the last of some words of a command line may become, each with a tab and what it is
// behind it; files says that names of files are others.
func (p *Program) Completions(words []string) (found []string, files bool) {
	l, place := p.begin(), 0
	last := words[len(words)-1]
	var waiting *Flag // for its value
	for _, word := range words[:len(words)-1] {
		switch f := l.find(strings.SplitN(word, "=", 2)[0]); {
		case word == "=": // bash cuts --flag=value there
		case waiting != nil:
			waiting = nil
		case f != nil:
			if !f.isBool() && !strings.Contains(word, "=") {
				waiting = f
			}
		case l.command == nil:
			if l.name(word) != nil {
				return nil, false
			}
		default:
			place++
		}
	}
	before := ""
	if last == "=" {
		last = ""
	} else if name, _, valued := strings.Cut(last, "="); valued && waiting == nil {
		waiting, before = l.find(name), name+"="
	}
	add := func(word, about string) {
		if word = before + word; strings.HasPrefix(word, last) {
			first, _, _ := strings.Cut(about, ". ")
			found = append(found, word+"\t"+strings.TrimSuffix(first, "."))
		}
	}
	switch {
	case waiting != nil:
	case strings.HasPrefix(last, "-"):
		for _, f := range l.flags {
			add("--"+f.Name, f.Help)
		}
		return found, false
	case l.command == nil:
		for _, c := range p.Commands {
			add(c.Name, c.Help)
		}
		return found, false
	case len(l.args) > 0:
		waiting = l.args[min(place, len(l.args)-1)]
	default:
		return nil, false
	}
	choices := waiting.Choices
	if name := waiting.tag.Get("values"); name != "" {
		choices = p.Values(name)
	}
	for _, word := range choices {
		add(word, "")
	}
	return found, waiting.File()
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"realm.internal/supervisor/pkg/supervisor"
)

// ciReport is another form, and besides it what a CI job's page shows: annotations
// and a summary where the runner has them. All of it goes to standard error or to
// files that the runner names; standard output is the form's alone.
//
// Commands to the runner are written here and nowhere else, on lines of their own
// that hold nothing of a guest's but in escaped fields.
type ciReport struct {
	reporter
	*app
	runner  runner
	file    string // FILE, as the repository calls it; "" for standard input
	quality string // where a code quality report goes; "" for nowhere
	source  string
}

// ci puts form into what --ci asks for.
func (a *app) ci(f *runFlags, form reporter) reporter {
	a.out.ci, a.out.guard, a.err.ci, a.err.guard = true, true, true, true
	c := &ciReport{reporter: form, app: a, runner: a.findRunner(), quality: f.ciReport}
	if plain, ok := form.(*plainReport); ok {
		plain.tell = c.tell
	}
	if f.file != "-" {
		c.file = c.runner.relative(f.file)
	}
	return c
}

func (c *ciReport) run(ctx context.Context, s *supervisor.Supervisor, r supervisor.Request) (*supervisor.Result, error) {
	c.source = r.Source
	for _, layer := range s.Weakenings() {
		line := c.runner.annotate(annotation{level: "warning", title: "weakened isolation", message: weakness(layer)})
		if line == "" {
			c.err.painted(yellow, "warning: weakened isolation: "+weakness(layer))
		}
		c.err.write(line)
	}
	title := "supervisor run " + r.Name
	c.err.write(c.runner.open(c.err.text(onOneLine(title))))
	res, err := c.reporter.run(ctx, s, r)
	c.err.write(c.runner.close())
	if res == nil {
		return nil, err
	}
	var failed *supervisor.Error
	if err != nil {
		failed = supervisor.AsError(err)
		c.annotate(failed)
	}
	c.fault(c.leave(failed, res))
	return res, err
}

// refused says why nothing ran.
func (c *ciReport) refused(err error) error {
	var said status
	if errors.As(err, &said) {
		return said
	}
	e := refusal(err)
	code := c.status(c.reporter.refused(err))
	c.annotate(e)
	c.fault(c.leave(e, nil))
	return status(code)
}

// tell is the plain form's word on a failure. That the runner cannot enforce a layer
// is one line, with what would change it; annotate writes it.
func (c *ciReport) tell(e *supervisor.Error, name, source string) {
	if e.Code != supervisor.CodeUnenforceable {
		c.err.failure(e, name, source)
	}
}

func (c *ciReport) annotate(e *supervisor.Error) {
	a := c.annotation(e)
	if e.Code == supervisor.CodeUnenforceable {
		_, why, _ := strings.Cut(e.Message, "cannot be enforced: ")
		a.message = fmt.Sprintf("this runner cannot enforce %s: %s", e.Capability, cmp.Or(why, e.Message))
		if e.Hint != "" {
			a.message += "; to enable it: " + e.Hint
		}
		a.message = onOneLine(a.message) + "; see docs/CI.md"
	}
	line := c.runner.annotate(a)
	if line == "" && e.Code == supervisor.CodeUnenforceable {
		line = c.err.paint(red, "error "+a.title) + " " + c.err.text(a.message) + "\n"
	}
	c.err.write(line)
}

func (c *ciReport) annotation(e *supervisor.Error) annotation {
	a := annotation{level: "error", title: string(e.Code), file: c.file, line: e.Line, column: e.Column}
	a.message = e.Message
	if e.Name != "" {
		a.message = e.Name + ": " + a.message
	}
	if e.Hint != "" {
		a.message += "\nhint: " + e.Hint
	}
	if e.Line == 0 {
		a.file = ""
	}
	return a
}

// leave writes the files that outlive the job's log.
func (c *ciReport) leave(e *supervisor.Error, res *supervisor.Result) error {
	var summary, quality error
	if path := c.runner.summary(); path != "" {
		summary = appendSummary(path, c.summarize(e, res))
	}
	if c.quality != "" {
		quality = writeQuality(c.quality, c.file, e)
	}
	return errors.Join(summary, quality)
}

func onOneLine(t string) string { return strings.Join(strings.Fields(t), " ") }

// within is path below root, or path when it is not there.
func within(root, path string) string {
	full, err := filepath.Abs(path)
	if err != nil || root == "" {
		return path
	}
	rel, err := filepath.Rel(root, full)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}

package cli

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// annotation is a remark on a place in the repository.
type annotation struct {
	level        string // error or warning
	title        string
	file         string // "" when it belongs to no file
	line, column int    // 0 when unknown
	message      string
}

// runner is the CI system around the process, as far as its variables tell.
type runner interface {
	// open begins a part of the log that can be folded, and close ends it.
	open(title string) string
	close() string
	// annotate is a line for the runner; "" where it has none.
	annotate(annotation) string
	// summary is the file of the job's summary, "" where there is none.
	summary() string
	// relative is how the repository calls a file.
	relative(path string) string
}

func (a *app) findRunner() runner {
	get := func(name string) string { v, _ := a.LookupEnv(name); return v }
	switch {
	case get("GITHUB_ACTIONS") == "true":
		return &github{workspace: get("GITHUB_WORKSPACE"), file: get("GITHUB_STEP_SUMMARY")}
	case get("GITLAB_CI") == "true":
		return &gitlab{project: get("CI_PROJECT_DIR")}
	}
	return plainRunner{}
}

// runnerFiles are files by which a step gives commands to GitHub's runner: no
// guest may write what is in them.
func (a *app) runnerFiles() (paths []string) {
	for _, name := range []string{"GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY", "GITHUB_EVENT_PATH"} {
		if path, _ := a.LookupEnv(name); filepath.IsAbs(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// plainRunner knows no commands; the form says everything.
type plainRunner struct{}

func (plainRunner) open(string) string          { return "" }
func (plainRunner) close() string               { return "" }
func (plainRunner) annotate(annotation) string  { return "" }
func (plainRunner) summary() string             { return "" }
func (plainRunner) relative(path string) string { return within("", path) }

// github is GitHub Actions, and runners that are like it.
type github struct{ workspace, file string }

func (g *github) open(title string) string    { return "::group::" + escapeData(title) + "\n" }
func (g *github) close() string               { return "::endgroup::\n" }
func (g *github) summary() string             { return g.file }
func (g *github) relative(path string) string { return within(g.workspace, path) }

func (g *github) annotate(a annotation) string {
	var fields []string
	field := func(name, value string) {
		if value != "" && value != "0" {
			fields = append(fields, name+"="+escapeProperty(value))
		}
	}
	field("file", a.file)
	field("line", fmt.Sprint(a.line))
	field("col", fmt.Sprint(a.column))
	field("title", a.title)
	return "::" + a.level + " " + strings.Join(fields, ",") + "::" + escapeData(shorten(a.message)) + "\n"
}

// escapeData and escapeProperty are the runner's own escapes: what they leave is
// one line, and one field. Other controls are shown, and what an older runner would
// obey in the middle of a line is broken.
func escapeData(t string) string {
	return strings.NewReplacer("%", "%25", "\n", "%0A").Replace(inert(visible(t)))
}

func escapeProperty(t string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(t))
}

// gitlab folds sections of a job's log; annotations are its code quality report's.
type gitlab struct{ project, section string }

func (g *gitlab) open(title string) string {
	g.section = "supervisor_" + strings.ToLower(rand.Text())
	return fmt.Sprintf("\x1b[0Ksection_start:%d:%s\r\x1b[0K%s\n", time.Now().Unix(), g.section, onOneLine(visible(title)))
}

func (g *gitlab) close() string {
	return fmt.Sprintf("\x1b[0Ksection_end:%d:%s\r\x1b[0K\n", time.Now().Unix(), g.section)
}

func (g *gitlab) annotate(annotation) string  { return "" }
func (g *gitlab) summary() string             { return "" }
func (g *gitlab) relative(path string) string { return within(g.project, path) }

package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"realm.internal/supervisor/pkg/supervisor"
)

// maxShown bounds what a guest can have shown in an annotation or a summary, whose
// whole step has 1 MiB.
const maxShown = 4 << 10

func shorten(t string) string {
	if len(t) <= maxShown {
		return t
	}
	cut := maxShown
	for !utf8.RuneStart(t[cut]) {
		cut--
	}
	return t[:cut] + "…"
}

// summarize is a run in Markdown. What a guest wrote stands in code blocks that it
// cannot close, and in cells without a character that means something.
func (c *ciReport) summarize(e *supervisor.Error, res *supervisor.Result) string {
	var b strings.Builder
	outcome, exit := "OK", 0
	if e != nil {
		outcome, exit = string(e.Code), e.Code.ExitStatus()
	}
	name := c.file
	if name == "" {
		name = "standard input"
	}
	fmt.Fprintf(&b, "### %s: %s\n\n| | |\n|---|---|\n| exit status | %d |\n", literal(name), outcome, exit)
	if res != nil {
		s := res.Stats
		fmt.Fprintf(&b, "| time | %d ms, %d ms of CPU |\n", s.WallMs, s.CPUMs)
		fmt.Fprintf(&b, "| memory | %.0f MiB |\n", s.PeakMemoryMb)
		fmt.Fprintf(&b, "| operations | %d, %d of them denied |\n", s.Operations, s.DeniedOperations)
		if r := res.Receipt; r != nil {
			fmt.Fprintf(&b, "| isolation | %s |\n", isolation(r))
			if r.AuditHead != "" {
				fmt.Fprintf(&b, "| audit head | %s |\n", literal(r.AuditHead))
			}
		}
	}
	if e == nil {
		return b.String() + "\n"
	}
	if e.Capability != "" {
		fmt.Fprintf(&b, "| capability | %s |\n", literal(e.Capability))
	}
	if e.Target != "" {
		fmt.Fprintf(&b, "| target | %s |\n", literal(shorten(e.Target)))
	}
	text := e.Message
	if e.Name != "" {
		text = e.Name + ": " + text
	}
	if frame := supervisor.CodeFrame(c.source, e.Line, e.Column); frame != "" {
		text += "\n\n" + frame
	}
	if e.Hint != "" {
		text = strings.TrimRight(text, "\n") + "\n\nhint: " + e.Hint
	}
	return b.String() + "\n" + block(text) + "\n"
}

// isolation counts the layers of a receipt and names what is missing.
func isolation(r *supervisor.Receipt) string {
	enforced := 0
	for _, layer := range r.Layers {
		if layer.State == "enforced" {
			enforced++
		}
	}
	text := fmt.Sprintf("%d layers enforced", enforced)
	if len(r.Weakenings) > 0 {
		text += "; weakened: " + literal(strings.Join(slices.Sorted(slices.Values(r.Weakenings)), ", "))
	}
	return text
}

// literal is a text in which Markdown and HTML see nothing but letters.
func literal(t string) string {
	var b strings.Builder
	for _, r := range visible(t) {
		if r < utf8.RuneSelf && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == ' ' || r == '/' || r == '-') {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// block is a code block whose fence is longer than any in the text.
func block(t string) string {
	t = inert(visible(shorten(t)))
	fence := "```"
	for strings.Contains(t, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(t, "\n") + "\n" + fence + "\n"
}

func appendSummary(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("write the job's summary: %w", err)
	}
	_, err = file.WriteString(text)
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write the job's summary: %w", err)
	}
	return nil
}

// finding is an entry of a code quality report, in Code Climate's form.
type finding struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// writeQuality writes a report with what failed, or with nothing.
func writeQuality(path, file string, e *supervisor.Error) error {
	all := []finding{}
	if e != nil {
		f := finding{Description: visible(shorten(onOneLine(e.Error()))), CheckName: "supervisor." + string(e.Code), Severity: "blocker"}
		f.Location.Path, f.Location.Lines.Begin = file, max(e.Line, 1)
		sum := sha256.Sum256([]byte(f.CheckName + "\x00" + file + "\x00" + fmt.Sprint(e.Line) + "\x00" + f.Description))
		f.Fingerprint = hex.EncodeToString(sum[:16])
		all = append(all, f)
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.WriteFile(path, append(text, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the code quality report: %w", err)
	}
	return nil
}

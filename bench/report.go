package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed report.md
var reportFrame string

// report writes docs/BENCHMARKS.md and the plots from the figures that are kept.
func (b *bench) report() error {
	plots := filepath.Join(b.docs, "plots")
	if err := os.MkdirAll(plots, 0o755); err != nil {
		return err
	}
	for name, svg := range map[string]string{"targets.svg": b.targetsPlot(), "cold.svg": b.coldPlot(), "deadline.svg": b.deadlinePlot()} {
		if err := os.WriteFile(filepath.Join(plots, name), []byte(svg), 0o644); err != nil {
			return err
		}
	}
	text := strings.NewReplacer(
		"{{targets}}", b.targetsTable(), "{{figures}}", b.figuresTable(), "{{machine}}", b.machineTable(),
	).Replace(reportFrame)
	return os.WriteFile(filepath.Join(b.docs, "BENCHMARKS.md"), []byte(text), 0o644)
}

func (b *bench) targetsTable() string {
	t := "| what | figure | measured | reach | aim | |\n|---|---|---|---|---|---|\n"
	for _, r := range rows {
		m := b.kept[r.name]
		if m == nil {
			t += fmt.Sprintf("| %s | %s | not measured | %s | %s | |\n", r.title, r.figure, target(r, r.reach), target(r, r.aim))
			continue
		}
		verdict := map[string]string{"aim": "**aim met**", "reach": "**met**", "missed": "missed", "": ""}[m.Met]
		t += fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", r.title, r.figure, quantity(r, m.Figure), target(r, r.reach), target(r, r.aim), verdict)
	}
	return t
}

// target prints a target with the direction that is good.
func target(r row, v float64) string {
	switch {
	case v == 0:
		return "–"
	case r.more:
		return "≥ " + quantity(r, v)
	}
	return "≤ " + quantity(r, v)
}

func quantity(r row, v float64) string {
	if r.absolute {
		return short(v) + " " + r.unit
	}
	return fmt.Sprintf("%.2f", v)
}

func short(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func (b *bench) figuresTable() string {
	t := ""
	for _, r := range rows {
		m := b.kept[r.name]
		if m == nil {
			continue
		}
		t += fmt.Sprintf("### %s\n\n%s\n\n", r.title, r.about)
		t += fmt.Sprintf("| %s | median | p99 | least | samples |\n|---|---|---|---|---|\n", r.unit)
		for _, s := range m.Series {
			name := s.Name
			if s.Aside {
				name += " *(for information)*"
			}
			t += fmt.Sprintf("| %s | %s | %s | %s | %d |\n", name, short(s.median()), short(s.p99()), short(s.least()), len(s.Samples))
		}
		t += "\n"
		if len(m.Notes) > 0 {
			t += strings.Join(m.Notes, " · ") + "\n\n"
		}
		t += fmt.Sprintf("Measured %s UTC, load average %s.\n\n", m.When, m.Load)
	}
	return strings.TrimSuffix(t, "\n")
}

func (b *bench) machineTable() string {
	t := "| | |\n|---|---|\n"
	for _, line := range b.machine() {
		t += fmt.Sprintf("| %s | %s |\n", line[0], line[1])
	}
	return t
}

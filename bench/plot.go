package main

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// Plots are drawn for a white page and for a dark one: the card is always light.
const (
	plotWidth = 760
	plotLeft  = 250
	plotRight = plotWidth - 40
	rowHeight = 34
	inkDark   = "#1f2933"
	inkSoft   = "#7b8794"
	colorOurs = "#1d6fb8"
	colorPeer = "#b0b7c0"
	colorGood = "#2f8f5b"
	colorMiss = "#c8553d"
)

// drawing collects the elements of one SVG.
type drawing struct {
	height   int
	elements strings.Builder
}

func (d *drawing) text(x, y float64, anchor, color string, size int, format string, args ...any) {
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, fmt.Appendf(nil, format, args...))
	fmt.Fprintf(&d.elements, "<text x=%q y=%q text-anchor=%q fill=%q font-size=\"%d\">%s</text>\n", px(x), px(y), anchor, color, size, escaped.String())
}

func (d *drawing) line(x1, y1, x2, y2 float64, color string, width float64, dashed bool) {
	dash := ""
	if dashed {
		dash = ` stroke-dasharray="4 3"`
	}
	fmt.Fprintf(&d.elements, "<line x1=%q y1=%q x2=%q y2=%q stroke=%q stroke-width=%q%s/>\n", px(x1), px(y1), px(x2), px(y2), color, px(width), dash)
}

func (d *drawing) bar(x, y, w, h float64, color string) {
	fmt.Fprintf(&d.elements, "<rect x=%q y=%q width=%q height=%q rx=\"2\" fill=%q/>\n", px(x), px(y), px(w), px(h), color)
}

func (d *drawing) dot(x, y float64, color string) {
	fmt.Fprintf(&d.elements, "<circle cx=%q cy=%q r=\"2.4\" fill=%q fill-opacity=\"0.35\"/>\n", px(x), px(y), color)
}

func (d *drawing) svg(title string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label=%q font-family="system-ui, sans-serif">
<rect width="100%%" height="100%%" rx="6" fill="#ffffff"/>
<text x="20" y="28" fill="%s" font-size="15" font-weight="600">%s</text>
%s</svg>
`, plotWidth, d.height, plotWidth, d.height, title, inkDark, title, d.elements.String())
}

func px(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// targetsPlot shows how much of each target is used: 1 is the target to reach,
// and less is better in every row.
func (b *bench) targetsPlot() string {
	d := &drawing{height: 76}
	const most = 2.0
	x := func(v float64) float64 { return plotLeft + (plotRight-plotLeft)*math.Min(v, most)/most }
	for _, r := range rows {
		m := b.kept[r.name]
		if m == nil || r.reach == 0 {
			continue
		}
		y := float64(d.height)
		share, aim := m.Figure/r.reach, r.aim/r.reach
		if r.more {
			share, aim = r.reach/m.Figure, r.reach/r.aim
		}
		color := colorGood
		if m.Met == "missed" {
			color = colorMiss
		}
		label, _, _ := strings.Cut(r.title, ":")
		label, _, _ = strings.Cut(label, ",")
		d.text(plotLeft-12, y+14, "end", inkDark, 12, "%s", strings.ReplaceAll(label, "`", ""))
		d.bar(plotLeft, y+3, x(share)-plotLeft, 16, color)
		d.line(x(aim), y-1, x(aim), y+23, inkDark, 2, false)
		d.text(x(share)+6, y+15, "start", inkSoft, 11, "%s", quantity(r, m.Figure))
		d.height += rowHeight
	}
	d.line(x(1), 62, x(1), float64(d.height), inkDark, 1, true)
	d.text(x(1), 56, "middle", inkSoft, 11, "target to reach")
	d.text(plotLeft, 56, "middle", inkSoft, 11, "0")
	d.text(plotRight, 56, "end", inkSoft, 11, "twice the target")
	d.text(20, float64(d.height+18), "start", inkSoft, 11, "Shorter is better in every row; the thick mark is the aim. Bars that are worse than twice the target are cut off.")
	d.height += 34
	return d.svg("Each figure as a share of its target")
}

func (b *bench) coldPlot() string {
	return b.strips("cold", "Cold one-shot, every sample (milliseconds)", 0)
}

func (b *bench) deadlinePlot() string {
	return b.strips("deadline", "Beyond the deadline until the realm is gone, every sample (milliseconds)", 20)
}

// strips draws each series of a row as a strip of dots with its median.
func (b *bench) strips(name, title string, mark float64) string {
	d := &drawing{height: 60}
	m := b.kept[name]
	if m == nil {
		return d.svg(title)
	}
	most := mark * 1.1
	for _, s := range m.Series {
		most = max(most, s.quantile(0.97))
	}
	step := tick(most)
	most = math.Ceil(most/step) * step
	x := func(v float64) float64 { return plotLeft + (plotRight-plotLeft)*math.Min(v/most, 1.02) }
	bottom := float64(60 + rowHeight*len(m.Series))
	for v := 0.0; v <= most+1e-9; v += step {
		d.line(x(v), 48, x(v), bottom, "#e4e7eb", 1, false)
		d.text(x(v), bottom+16, "middle", inkSoft, 11, "%g", v)
	}
	if mark > 0 {
		d.line(x(mark), 44, x(mark), bottom, inkDark, 1, true)
	}
	for i, s := range m.Series {
		y := float64(d.height) + rowHeight/2
		color := colorPeer
		if i == 0 || name == "deadline" {
			color = colorOurs
		}
		d.text(plotLeft-12, y+4, "end", inkDark, 12, "%s", s.Name)
		for j, v := range s.Samples {
			d.dot(x(v), y+float64(j%7-3)*2.2, color)
		}
		d.line(x(s.median()), y-12, x(s.median()), y+12, inkDark, 2, false)
		d.text(x(s.median()), y-13, "middle", inkDark, 10, "%s", short(s.median()))
		d.height += rowHeight
	}
	d.height += 28
	return d.svg(title)
}

// tick is a round step that gives about six of them.
func tick(most float64) float64 {
	raw := most / 6
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, k := range []float64{1, 2, 5, 10} {
		if raw <= k*unit {
			return k * unit
		}
	}
	return 10 * unit
}

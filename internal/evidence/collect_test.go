package main

import (
	"slices"
	"strings"
	"testing"
)

// Tests that run at once take turns, and a long line is told in parts.
func TestALineIsCollectedWhole(t *testing.T) {
	c := &collection{}
	err := c.read(strings.NewReader(`
		{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:1: evidence: one "}
		{"Action":"output","Package":"p","Test":"B","Output":"    b_test.go:1: attacks: root protocol of every "}
		{"Action":"output","Package":"p","Test":"A","Output":"two three\n    a_test.go:2: evidence: four\n"}
		{"Action":"output","Package":"p","Test":"B","Output":"kind 12 11\n"}`[1:]))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"one two three", "four"}; !slices.Equal(c.evidence, want) {
		t.Errorf("evidence %q, want %q", c.evidence, want)
	}
	if want := []count{{"root", "protocol", "of every kind", 12, 11}}; !slices.Equal(c.counts, want) {
		t.Errorf("counts %v, want %v", c.counts, want)
	}
}

func TestWhatFailsOrIsLeftOutIsCollected(t *testing.T) {
	c := &collection{}
	err := c.read(strings.NewReader(`
		{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:1: why\n"}
		{"Action":"fail","Package":"p","Test":"A"}
		{"Action":"output","Package":"p","Test":"B","Output":"    b_test.go:1: fine\n"}
		{"Action":"pass","Package":"p","Test":"B"}
		{"Action":"skip","Package":"p","Test":"C"}`[1:]))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"p.A", "p.C (skipped)"}; !slices.Equal(c.failed, want) {
		t.Errorf("failed %q, want %q", c.failed, want)
	}
	if said := c.output.String(); !strings.Contains(said, "why") || strings.Contains(said, "fine") {
		t.Errorf("output %q", said)
	}
}

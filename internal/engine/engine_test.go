package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestScratch(t *testing.T) {
	b, err := os.ReadFile(os.Getenv("SCRATCH"))
	if err != nil {
		t.Skip()
	}
	for _, src := range strings.Split(string(b), "\n====\n") {
		o := runSource(t, src, nil)
		fmt.Printf("--- %s\n", src)
		if o.failure != nil {
			f := o.failure
			fmt.Printf("  %s/%s %s: %s @%d:%d hint=%q cap=%q\n%s\n", f.Code, f.Phase, f.Name, f.Message, f.Line, f.Column, f.Hint, f.Capability, f.Stack)
		} else {
			fmt.Printf("  = %s\n", o.value)
		}
		if len(o.logs) > 0 {
			fmt.Printf("  logs %q\n", o.logs)
		}
	}
}

// Command manual writes the manual pages and the shells' completions of the command line into a directory.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"realm.internal/supervisor/internal/build"
	"realm.internal/supervisor/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manual DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	root := cli.Commands()
	undated(root)
	header := &doc.GenManHeader{Section: "1", Source: "supervisor " + build.Version, Manual: "Supervisor", Date: &time.Time{}}
	if err := pages(root, header, man); err != nil {
		return err
	}
	for name, generate := range map[string]func(string) error{
		"supervisor.bash": func(f string) error { return root.GenBashCompletionFileV2(f, true) },
		"_supervisor":     root.GenZshCompletionFile,
		"supervisor.fish": func(f string) error { return root.GenFishCompletionFile(f, true) },
	} {
		if err := generate(filepath.Join(completions, name)); err != nil {
			return err
		}
	}
	return nil
}

// pages writes a page for every command. They have no date, so that the same sources give the same pages.
func pages(c *cobra.Command, header *doc.GenManHeader, dir string) error {
	for _, child := range c.Commands() {
		if err := pages(child, header, dir); err != nil {
			return err
		}
	}
	own := *header
	var page bytes.Buffer
	if err := doc.GenMan(c, &own, &page); err != nil {
		return err
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	text := bytes.Replace(page.Bytes(), []byte(own.Date.Format(`"Jan 2006"`)), []byte(`""`), 1)
	return os.WriteFile(filepath.Join(dir, name), text, 0o644)
}

func undated(c *cobra.Command) {
	c.DisableAutoGenTag = true
	for _, child := range c.Commands() {
		undated(child)
	}
}

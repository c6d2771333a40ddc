//go:build linux

package cgroup

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

// writeFile writes an existing control file, and never creates one.
func writeFile(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(value)
	return err
}

// readNumber reads a file of one number; "max" and v1's spelling of it are 0.
func readNumber(path string) (int64, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return parseNumber(strings.TrimSpace(string(content)))
}

// unlimited is what v1 shows for "no limit": the largest multiple of a page.
const unlimited = math.MaxInt64 - 4095

func parseNumber(text string) (int64, error) {
	if text == "max" || text == "-1" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, err
	}
	if n >= unlimited {
		return 0, nil
	}
	return n, nil
}

// readKey reads the number of one line of a "key value" file.
func readKey(path, key string) (int64, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(content) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if name == key {
			return strconv.ParseInt(value, 10, 64)
		}
	}
	return 0, &os.PathError{Op: "find " + key + " in", Path: path, Err: os.ErrNotExist}
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"realm.internal/supervisor/pkg/supervisor"
)

const waiting = 4

func memory(b *bench) (*measured, error) {
	pss, rss := newSeries("PSS"), aside("RSS")
	for range b.times(5) {
		if err := b.memoryOnce(pss, rss); err != nil {
			return nil, err
		}
	}
	return &measured{Series: []*series{pss, rss}, Figure: pss.median()}, nil
}

func (b *bench) memoryOnce(pss, rss *series) error {
	s, end, err := b.supervise(supervisor.Config{WarmPoolSize: waiting})
	if err != nil {
		return err
	}
	defer end()
	if err := waitFor(s, waiting); err != nil {
		return err
	}
	pids, err := realms()
	if err != nil {
		return err
	}
	if len(pids) != waiting {
		return fmt.Errorf("found %d realms, not %d", len(pids), waiting)
	}
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			return err
		}
		pss.add(mebibytes(text, "Pss:"))
		rss.add(mebibytes(text, "Rss:"))
	}
	return nil
}

// mebibytes finds a field that is given in kB.
func mebibytes(text []byte, name string) float64 {
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if len(fields) == 3 && fields[0] == name {
			kib, _ := strconv.ParseFloat(fields[1], 64)
			return kib / 1024
		}
	}
	return 0
}

// realms are the children of our child, the spawner.
func realms() ([]int, error) {
	parents := map[int]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parents[pid], _ = strconv.Atoi(fields[1])
	}
	var list []int
	for pid, parent := range parents {
		if parents[parent] == os.Getpid() {
			list = append(list, pid)
		}
	}
	return list, nil
}

//go:build linux

package cgroup

import (
	"errors"
	"os"
)

var errSkeleton = errors.New("cgroup: not built yet")

type manager struct{}
type group struct{}

func open() (*Manager, error)                            { return nil, errSkeleton }
func (m *manager) missing(string) error                  { return errSkeleton }
func (m *manager) create(string, Limits) (*Group, error) { return nil, errSkeleton }
func (m *manager) owned() ([]string, string)             { return nil, "" }
func (m *manager) sweep() (int, error)                   { return 0, errSkeleton }
func (m *manager) close() error                          { return nil }
func (g *group) path() string                            { return "" }
func (g *group) leaf() *os.File                          { return nil }
func (g *group) tasks() []*os.File                       { return nil }
func (g *group) limits() (Limits, error)                 { return Limits{}, errSkeleton }
func (g *group) stats() (Stats, error)                   { return Stats{}, errSkeleton }
func (g *group) setMemory(int64) error                   { return errSkeleton }
func (g *group) kill() error                             { return errSkeleton }
func (g *group) remove() error                           { return errSkeleton }

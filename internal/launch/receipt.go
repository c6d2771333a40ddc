//go:build linux

package launch

var nullID = fileID{}

func (p *Process) Receipt() (*Receipt, error) { return nil, nil }

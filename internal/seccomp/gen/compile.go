package main

import (
	"fmt"
	"io"
	"os"

	libseccomp "github.com/seccomp/libseccomp-golang"

	"realm.internal/supervisor/internal/seccomp"
)

// compile turns a table into a program. Calls of other architectures and of
// x32 are killed with the whole process, and the binary tree over call numbers
// keeps the longest path short: every table has far more than 32 calls.
func compile(table seccomp.Table) ([]byte, error) {
	fallback, err := action(table.Default)
	if err != nil {
		return nil, fmt.Errorf("table %s: default: %w", table.Name, err)
	}
	filter, err := libseccomp.NewFilter(fallback)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", table.Name, err)
	}
	defer filter.Release()
	if err := prepare(filter); err != nil {
		return nil, fmt.Errorf("table %s: %w", table.Name, err)
	}
	for _, row := range table.Rows {
		if row.Action == table.Default {
			continue // libseccomp refuses rules that say what the default says
		}
		if err := add(filter, row); err != nil {
			return nil, fmt.Errorf("table %s: row %s: %w", table.Name, row.Call, err)
		}
	}
	return export(filter)
}

func prepare(filter *libseccomp.ScmpFilter) error {
	if err := filter.SetBadArchAction(libseccomp.ActKillProcess); err != nil {
		return fmt.Errorf("set bad architecture action: %w", err)
	}
	if err := filter.SetOptimize(2); err != nil {
		return fmt.Errorf("set optimisation: %w", err)
	}
	return nil
}

func add(filter *libseccomp.ScmpFilter, row seccomp.Row) error {
	then, err := action(row.Action)
	if err != nil {
		return err
	}
	var conditions []libseccomp.ScmpCondition
	for _, c := range row.When {
		condition, err := libseccomp.MakeCondition(uint(c.Arg), libseccomp.CompareMaskedEqual, c.Mask, c.Value)
		if c.Mask == ^uint64(0) {
			condition, err = libseccomp.MakeCondition(uint(c.Arg), libseccomp.CompareEqual, c.Value)
		}
		if err != nil {
			return err
		}
		conditions = append(conditions, condition)
	}
	// By number: the library's names end at Linux 5.17.
	if len(conditions) == 0 {
		return filter.AddRuleExact(libseccomp.ScmpSyscall(row.Number), then)
	}
	return filter.AddRuleConditionalExact(libseccomp.ScmpSyscall(row.Number), then, conditions)
}

func action(a seccomp.Action) (libseccomp.ScmpAction, error) {
	switch a {
	case seccomp.Allow:
		return libseccomp.ActAllow, nil
	case seccomp.KillProcess:
		return libseccomp.ActKillProcess, nil
	}
	number, ok := a.ErrnoOf()
	if !ok {
		return libseccomp.ActInvalid, fmt.Errorf("no library counterpart of %v", a)
	}
	return libseccomp.ActErrno.SetReturnCode(int16(number)), nil
}

// export goes through a file, which the library insists on.
func export(filter *libseccomp.ScmpFilter) ([]byte, error) {
	file, err := os.CreateTemp("", "filter-*.bpf")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file.Name()); _ = file.Close() }()
	if err := filter.ExportBPF(file); err != nil {
		return nil, fmt.Errorf("export program: %w", err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(file)
}

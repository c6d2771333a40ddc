package broker

import (
	"context"
	"unicode/utf8"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/internal/capability/filesystem"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
	"realm.internal/supervisor/pkg/value"
)

var filesystemRead = call[rpc.FilesystemRead, grants.FileRead]{
	capability: grants.CapabilityFilesystemRead,
	target:     func(m *rpc.FilesystemRead) string { return m.Path },
	check:      func(b *Broker, m *rpc.FilesystemRead) (grants.FileRead, error) { return b.Checker.FileRead(m.Path) },
	execute: func(ctx context.Context, b *Broker, t grants.FileRead, m *rpc.FilesystemRead) (answer, error) {
		data, err := b.Executors.Files.Read(ctx, t, part(m))
		if err != nil {
			return answer{}, err
		}
		n := int64(len(data))
		b.count.read.Add(n)
		if !m.Text {
			return answer{bytes: data, moved: n}, nil
		}
		if !utf8.Valid(data) {
			return answer{}, &capability.Failure{Code: "EILSEQ", Message: "the file is not UTF-8 text; use readBytes"}
		}
		return answer{value: string(data), moved: n}, nil
	},
}

func part(m *rpc.FilesystemRead) filesystem.Range {
	r := filesystem.Range{Offset: m.Offset}
	if m.Length >= 0 {
		r.Length, r.Limited = m.Length, true
	}
	return r
}

var filesystemList = call[rpc.FilesystemList, grants.FileList]{
	capability: grants.CapabilityFilesystemRead,
	target:     func(m *rpc.FilesystemList) string { return m.Path },
	check:      func(b *Broker, m *rpc.FilesystemList) (grants.FileList, error) { return b.Checker.FileList(m.Path) },
	execute: func(ctx context.Context, b *Broker, t grants.FileList, _ *rpc.FilesystemList) (answer, error) {
		entries, err := b.Executors.Files.List(ctx, t)
		list := make([]any, len(entries))
		for i, e := range entries {
			list[i] = value.NewObject(
				value.Member{Key: "name", Value: e.Name},
				value.Member{Key: "type", Value: e.Type},
				value.Member{Key: "size", Value: e.Size})
		}
		return answer{value: list}, err
	},
}

var filesystemStat = call[rpc.FilesystemStat, grants.FileStat]{
	capability: grants.CapabilityFilesystemRead,
	target:     func(m *rpc.FilesystemStat) string { return m.Path },
	check:      func(b *Broker, m *rpc.FilesystemStat) (grants.FileStat, error) { return b.Checker.FileStat(m.Path) },
	execute: func(ctx context.Context, b *Broker, t grants.FileStat, _ *rpc.FilesystemStat) (answer, error) {
		s, err := b.Executors.Files.Stat(ctx, t)
		return answer{value: value.NewObject(
			value.Member{Key: "type", Value: s.Type},
			value.Member{Key: "size", Value: s.Size},
			value.Member{Key: "modifiedMs", Value: s.ModifiedMs})}, err
	},
}

var filesystemWrite = call[rpc.FilesystemWrite, grants.FileWrite]{
	capability: grants.CapabilityFilesystemWrite,
	target:     func(m *rpc.FilesystemWrite) string { return m.Path },
	check: func(b *Broker, m *rpc.FilesystemWrite) (grants.FileWrite, error) {
		t, err := b.Checker.FileWrite(m.Path, int(m.Size))
		if err != nil {
			return t, err
		}
		return t, b.sized(m.Path, m.Size, m.Data)
	},
	execute: func(ctx context.Context, b *Broker, t grants.FileWrite, m *rpc.FilesystemWrite) (answer, error) {
		write := b.Executors.Files.Write
		if m.Append {
			write = b.Executors.Files.Append
		}
		if err := write(ctx, t, m.Data); err != nil {
			return answer{}, err
		}
		b.count.written.Add(m.Size)
		return answer{value: value.Undefined, moved: m.Size}, nil
	},
}

var filesystemMakeDirectory = call[rpc.FilesystemMakeDirectory, grants.MakeDirectory]{
	capability: grants.CapabilityFilesystemWrite,
	target:     func(m *rpc.FilesystemMakeDirectory) string { return m.Path },
	check: func(b *Broker, m *rpc.FilesystemMakeDirectory) (grants.MakeDirectory, error) {
		return b.Checker.MakeDirectory(m.Path)
	},
	execute: func(ctx context.Context, b *Broker, t grants.MakeDirectory, _ *rpc.FilesystemMakeDirectory) (answer, error) {
		return answer{value: value.Undefined}, b.Executors.Files.MakeDirectory(ctx, t)
	},
}

var filesystemRemove = call[rpc.FilesystemRemove, grants.Remove]{
	capability: grants.CapabilityFilesystemWrite,
	target:     func(m *rpc.FilesystemRemove) string { return m.Path },
	check:      func(b *Broker, m *rpc.FilesystemRemove) (grants.Remove, error) { return b.Checker.Remove(m.Path) },
	execute: func(ctx context.Context, b *Broker, t grants.Remove, _ *rpc.FilesystemRemove) (answer, error) {
		return answer{value: value.Undefined}, b.Executors.Files.Remove(ctx, t)
	},
}

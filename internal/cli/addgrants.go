package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/policy"
)

// grantFlags are the flags that add to a grants document.
type grantFlags struct {
	file                                      string
	read, write, net, exec, env, secret, tool []string
}

// load adds the flags to the grants of the document, or else to base.
func (a *app) load(base grants.Grants, f *grantFlags) (grants.Grants, error) {
	g := base
	if f.file != "" {
		var err error
		if g, err = a.loadGrants(f.file); err != nil {
			return g, err
		}
	}
	for _, add := range []struct {
		flag   string
		values []string
		to     func(*grants.Grants, string) error
	}{
		{"read", f.read, func(g *grants.Grants, v string) error { return addPath(&g.Filesystem.Read, v) }},
		{"write", f.write, func(g *grants.Grants, v string) error { return addPath(&g.Filesystem.Write, v) }},
		{"exec", f.exec, func(g *grants.Grants, v string) error {
			g.Subprocess.Commands = append(g.Subprocess.Commands, v)
			return nil
		}},
		{"env", f.env, a.addVariable},
		{"secret", f.secret, a.addSecret},
	} {
		for _, v := range add.values {
			if err := add.to(&g, v); err != nil {
				return g, fmt.Errorf("--%s %s: %w", add.flag, v, err)
			}
		}
	}
	if err := addOrigins(&g, f.net); err != nil {
		return g, err
	}
	if err := g.Validate(); err != nil {
		return g, fmt.Errorf("grants: %w", err)
	}
	return g, nil
}

func (a *app) loadGrants(path string) (grants.Grants, error) {
	text, err := a.readDocument(path, policy.OwnersAlone)
	if err != nil {
		return grants.Grants{}, err
	}
	g, err := grants.Load(bytes.NewReader(text))
	if err != nil {
		return g, documentError("grants", path, err)
	}
	if blank(text) {
		a.err.painted(yellow, "warning: "+called(path)+" is empty and grants nothing; {} says so, and filesystem: {read: [/srv/input]} would be a grant")
	}
	return g, nil
}

// readDocument reads a grants document or a policy, which trusted looks at as a file. What comes out of a pipe is whoever's who
// made the pipe.
func (a *app) readDocument(path string, trusted func(info os.FileInfo, name string) error) ([]byte, error) {
	info, err := a.stat(path)
	if err == nil && info != nil && info.Mode().IsRegular() {
		err = trusted(info, called(path))
	}
	if err != nil {
		return nil, fileError(path, err)
	}
	return a.read(path, maxDocumentBytes)
}

// addPath takes a directory as the user's shell means it. Documents, which are
// read elsewhere, must be absolute; a flag is here and now.
func addPath(to *[]string, path string) error {
	full, err := filepath.Abs(path)
	*to = append(*to, full)
	return err
}

func (a *app) addVariable(g *grants.Grants, v string) error {
	name, value, given := strings.Cut(v, "=")
	if !given {
		if value, given = a.LookupEnv(name); !given {
			return fmt.Errorf("%s is not set in this environment", name)
		}
	}
	put(&g.Environment, name, value)
	return nil
}

func (a *app) addSecret(g *grants.Grants, v string) error {
	name, source, _ := strings.Cut(v, "=")
	kind, where, _ := strings.Cut(source, ":")
	switch {
	case kind == "env" && where != "":
		put(&g.Secrets, name, grants.Secret{FromEnv: where})
	case kind == "file" && where == "-":
		text, err := a.read(where, maxInputBytes)
		if err != nil {
			return err
		}
		put(&g.Secrets, name, grants.Secret{Value: strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")})
	case kind == "file" && where != "":
		full, err := filepath.Abs(where)
		if err != nil {
			return err
		}
		put(&g.Secrets, name, grants.Secret{FromFile: full})
	default:
		return fmt.Errorf("write NAME=env:VARIABLE or NAME=file:PATH; a value itself would be seen in the process list")
	}
	return nil
}

// put sets a key in a copy of the map: a profile's belongs to its policy, and
// must not come to hold what flags add.
func put[V any](m *map[string]V, key string, value V) {
	own := maps.Clone(*m)
	if own == nil {
		own = map[string]V{}
	}
	own[key] = value
	*m = own
}

// addOrigins adds ORIGIN[=METHOD,…]. The methods of a grants document hold for
// all of its origins, so flags that would widen another origin's are refused.
func addOrigins(g *grants.Grants, flags []string) error {
	for _, v := range flags {
		origin, list, given := strings.Cut(v, "=")
		methods := []string{"GET"}
		if given && list == "" {
			return fmt.Errorf("--net %s: no methods behind the =: write --net %s=GET,POST, or --net %[2]s for GET alone", v, origin)
		}
		if given {
			methods = strings.Split(list, ",")
		}
		if n := &g.Network; len(n.Origins) == 0 {
			n.Methods = methods
		} else if have := methodsOf(n.Methods); !same(have, methods) {
			return fmt.Errorf("--net %s: methods hold for all origins, and the others have %s; write --net %s=%[2]s, or give each origin a run of its own",
				v, strings.Join(have, ","), origin)
		}
		g.Network.Origins = append(g.Network.Origins, origin)
	}
	return nil
}

func methodsOf(methods []string) []string {
	if len(methods) == 0 {
		return []string{"GET"}
	}
	return methods
}

func same(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

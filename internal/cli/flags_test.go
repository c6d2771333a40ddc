package cli

import (
	"slices"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

func TestQuantities(t *testing.T) {
	for _, c := range []struct {
		read func(key, text string) (int64, error)
		key  string
		text string
		want int64  // 0: refused
		says string // in the error
	}{
		{milliseconds, "wallClockMs", "500ms", 500, ""},
		{milliseconds, "wallClockMs", "1m30s", 90_000, ""},
		{milliseconds, "wallClockMs", "24h", 86_400_000, ""},
		{milliseconds, "wallClockMs", "24h1ms", 0, "from 1ms to 24h"},
		{milliseconds, "wallClockMs", "0s", 0, "from 1ms to 24h"},
		{milliseconds, "wallClockMs", "-1s", 0, "wallClockMs"},
		{milliseconds, "wallClockMs", "30", 0, "30s"},
		{milliseconds, "cpuMs", "1500us", 0, "milliseconds"},
		{mebibytes, "memoryMb", "256M", 256, ""},
		{mebibytes, "memoryMb", "256", 256, ""},
		{mebibytes, "memoryMb", "1GiB", 1024, ""},
		{mebibytes, "memoryMb", "2gb", 2048, ""},
		{mebibytes, "memoryMb", "131072K", 128, ""},
		{mebibytes, "memoryMb", "1000K", 0, "MiB"},
		{mebibytes, "memoryMb", "4000M", 4000, ""},
		{mebibytes, "memoryMb", "4001M", 0, "4000"},
		{mebibytes, "memoryMb", "0", 0, "memoryMb"},
		{mebibytes, "memoryMb", "-5M", 0, "memoryMb"},
		{mebibytes, "memoryMb", "9999999999999999999G", 0, "256M"},
		{mebibytes, "memoryMb", "-18014398509481983G", 0, "256M"},
		{mebibytes, "memoryMb", "", 0, "256M"},
		{mebibytes, "memoryMb", "M", 0, "256M"},
		{mebibytes, "memoryMb", "5MM", 0, "256M"},
		{mebibytes, "memoryMb", "1.5G", 0, "256M"},
		{mebibytes, "memoryMb", "10B", 0, "256M"},
		{mebibytes, "memoryMb", "10iB", 0, "256M"},
	} {
		got, err := c.read(c.key, c.text)
		if got != c.want || (err == nil) != (c.want != 0) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q: %d, %v", c.key, c.text, got, err)
		}
	}
}

func TestToolCommandsAreSplitWithoutAShell(t *testing.T) {
	for line, want := range map[string][]string{
		`a b  c`:             {"a", "b", "c"},
		`a 'b  c' "d e"`:     {"a", "b  c", "d e"},
		`a 'b'c"d"`:          {"a", "bcd"},
		`a\ b '\' "\""`:      {"a b", `\`, `"`},
		`a $HOME *.go ;rm|x`: {"a", "$HOME", "*.go", ";rm|x"},
		`a ''`:               {"a", ""},
		``:                   nil,
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`a 'b`, `a "b`, `a \`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%s: %q", line, got)
		}
	}
}

func TestOriginsOfFlagsNeverWidenMethods(t *testing.T) {
	for claim, c := range map[string]struct {
		document grants.Network
		flags    []string
		want     []string // methods; nil: refused
	}{
		"GET is the default":                   {grants.Network{}, []string{"https://a.example"}, []string{"GET"}},
		"no methods behind the sign":           {grants.Network{}, []string{"https://a.example="}, nil},
		"methods of the one origin":            {grants.Network{}, []string{"https://a.example=GET,POST"}, []string{"GET", "POST"}},
		"two origins with the same methods":    {grants.Network{}, []string{"https://a.example=POST,GET", "https://b.example=GET,POST"}, []string{"POST", "GET"}},
		"two origins with different methods":   {grants.Network{}, []string{"https://a.example=POST", "https://b.example"}, nil},
		"an origin beside those of the grants": {grants.Network{Origins: []string{"https://a.example"}}, []string{"https://b.example=DELETE"}, nil},
		"the same methods as in the grants":    {grants.Network{Origins: []string{"https://a.example"}, Methods: []string{"PUT"}}, []string{"https://b.example=PUT"}, []string{"PUT"}},
	} {
		g := grants.Grants{Network: c.document}
		err := addOrigins(&g, c.flags)
		if (err == nil) != (c.want != nil) || err == nil && !slices.Equal(g.Network.Methods, c.want) {
			t.Errorf("%s: %v, %v", claim, g.Network.Methods, err)
		}
	}
}

func TestFlagsNeverChangeTheProfileThatTheyAddTo(t *testing.T) {
	profile := grants.Grants{
		Environment: map[string]string{"A": "1"},
		Secrets:     map[string]grants.Secret{"S": {Value: "v"}},
		Filesystem:  grants.Filesystem{Read: make([]string, 0, 4)},
	}
	a := &app{Host: Host{LookupEnv: noEnv}}
	g, err := a.load(profile, &grantFlags{env: []string{"B=2"}, secret: []string{"T=env:T"}, read: []string{"/srv"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Environment) != 2 || len(g.Secrets) != 2 || len(g.Filesystem.Read) != 1 {
		t.Errorf("flags are missing: %+v", g)
	}
	if len(profile.Environment) != 1 || len(profile.Secrets) != 1 || len(profile.Filesystem.Read) != 0 {
		t.Errorf("the profile changed: %+v", profile)
	}
}

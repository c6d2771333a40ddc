package secret

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

const sesame = "open-sesame"

func environment(variables map[string]string) Lookup {
	return func(name string) (string, bool) { v, ok := variables[name]; return v, ok }
}

func file(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSecretsAreResolvedFromEachSource(t *testing.T) {
	for claim, c := range map[string]struct {
		secret grants.Secret
		want   string
	}{
		"given":                      {grants.Secret{Value: sesame}, sesame},
		"given with a newline":       {grants.Secret{Value: sesame + "\n"}, sesame + "\n"},
		"from the environment":       {grants.Secret{FromEnv: "VAR"}, sesame},
		"from a file":                {grants.Secret{FromFile: file(t, sesame)}, sesame},
		"one newline is trimmed":     {grants.Secret{FromFile: file(t, sesame+"\n\n")}, sesame + "\n"},
		"a carriage return goes too": {grants.Secret{FromFile: file(t, sesame+"\r\n")}, sesame},
		"of the largest size":        {grants.Secret{FromFile: file(t, strings.Repeat("x", 64<<10)+"\n")}, strings.Repeat("x", 64<<10)},
	} {
		t.Run(claim, func(t *testing.T) {
			g := grants.Grants{Secrets: map[string]grants.Secret{"S": c.secret}}
			store, err := Open(g, environment(map[string]string{"VAR": sesame}))
			if err != nil {
				t.Fatal(err)
			}
			ticket, err := grants.NewChecker(g).Secret("S")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := store.Read(ticket); err != nil || got != c.want {
				t.Errorf("read %.40q, %v", got, err)
			}
			if got, ok := store.Value("S"); !ok || got != c.want || store.All()["S"] != c.want {
				t.Errorf("value %.40q, %v", got, ok)
			}
			if text := fmt.Sprintf("%v %+v %#v", store, store, store); strings.Contains(text, sesame) {
				t.Errorf("printed: %s", text)
			}
			if _, err := store.Read(grants.SecretRead{}); err == nil {
				t.Error("read without a ticket")
			}
		})
	}
}

func TestBadSecretsAreErrorsWithoutValues(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	inject := grants.Network{Origins: []string{"https://a.example"}, Inject: []grants.Injection{{Origin: "https://a.example", Header: "X", Secret: "S"}}}
	for claim, c := range map[string]struct {
		grants grants.Grants
		want   string
	}{
		"a variable that is not set":        {grants.Grants{Secrets: map[string]grants.Secret{"S": {FromEnv: "MISSING"}}}, "the environment variable MISSING is not set"},
		"an empty variable":                 {grants.Grants{Secrets: map[string]grants.Secret{"S": {FromEnv: "EMPTY"}}}, "the secret is empty"},
		"a file that is missing":            {grants.Grants{Secrets: map[string]grants.Secret{"S": {FromFile: "/nonexistent/secret"}}}, "no such file"},
		"a directory":                       {grants.Grants{Secrets: map[string]grants.Secret{"S": {FromFile: t.TempDir()}}}, "is not a regular file"},
		"a FIFO":                            {grants.Grants{Secrets: map[string]grants.Secret{"S": {FromFile: fifo}}}, "is not a regular file"},
		"a device":                          {grants.Grants{Secrets: map[string]grants.Secret{"S": {FromFile: "/dev/zero"}}}, "is not a regular file"},
		"a file above 64 KiB":               {grants.Grants{Secrets: map[string]grants.Secret{"S": {FromFile: file(t, strings.Repeat("x", 64<<10+1))}}}, "is larger than 65536 bytes"},
		"an empty file":                     {grants.Grants{Secrets: map[string]grants.Secret{"S": {FromFile: file(t, "\n")}}}, "the secret is empty"},
		"bytes that are not text":           {grants.Grants{Secrets: map[string]grants.Secret{"S": {FromFile: file(t, sesame+"\xff")}}}, "is not UTF-8"},
		"a line break in a header":          {grants.Grants{Network: inject, Secrets: map[string]grants.Secret{"S": {Value: sesame + "\r\nX: y"}}}, "a character that headers do not have"},
		"a letter beyond ASCII in a header": {grants.Grants{Network: inject, Secrets: map[string]grants.Secret{"S": {Value: sesame + "\u00e9"}}}, "a character that headers do not have"},
	} {
		t.Run(claim, func(t *testing.T) {
			_, err := Open(c.grants, environment(map[string]string{"EMPTY": ""}))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "secrets.S: ") {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), sesame) {
				t.Errorf("%v holds the value", err)
			}
		})
	}
}

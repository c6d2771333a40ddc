package service

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"realm.internal/supervisor/pkg/policy"
)

const (
	defaultToken   = "default" // the name of a token that has none
	shortToken     = 16        // bytes below which a token can be guessed
	maxTokensBytes = 1 << 20
)

// tokens are the names of tokens by what they are known by.
type tokens struct {
	names  []string
	hashes [][sha256.Size]byte
	weak   bool // one can be guessed
}

// parseTokens reads one token a line: its name, space, and the token; or a token alone, whose name is then "default".
// Empty lines and lines that begin with # count for nothing.
func parseTokens(r io.Reader) (*tokens, error) {
	var t tokens
	limited := &io.LimitedReader{R: r, N: maxTokensBytes + 1}
	lines := bufio.NewScanner(limited)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		name, token := defaultToken, ""
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
			continue
		case len(words) == 1:
			token = words[0]
		case len(words) == 2:
			name, token = words[0], words[1]
		default:
			return nil, fmt.Errorf("line %d: write a name, a space and the token", n)
		}
		sum := sha256.Sum256([]byte(token))
		for i, have := range t.hashes {
			if t.names[i] == name || have == sum {
				return nil, fmt.Errorf("line %d: the name or the token stands in another line too", n)
			}
		}
		t.names, t.hashes = append(t.names, name), append(t.hashes, sum)
		t.weak = t.weak || len(token) < shortToken
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("it is longer than %d bytes", maxTokensBytes)
	}
	if len(t.names) == 0 {
		return nil, errors.New("there is no token in it; the least is a line with one, which openssl rand -hex 32 makes")
	}
	return &t, nil
}

// loadTokens reads a token file that nobody but its owner can have written.
func loadTokens(path string, log *slog.Logger) (*tokens, error) {
	file, err := policy.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Mode().Perm()&0o044 != 0 {
		log.Warn("the token file can be read by others than its owner", "file", path, "fix", "chmod go-r "+path)
	}
	t, err := parseTokens(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if t.weak {
		log.Warn("a token is short enough to be guessed", "file", path, "fix", "make one with: openssl rand -hex 32")
	}
	return t, nil
}

// name finds the name of a token. It compares with every one, in a time that does not depend on them.
func (t *tokens) name(token string) (string, bool) {
	if t == nil {
		return "", false
	}
	sum := sha256.Sum256([]byte(token))
	found := -1
	for i := range t.hashes {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(t.hashes[i][:], sum[:]), i, found)
	}
	if found < 0 {
		return "", false
	}
	return t.names[found], true
}

package grants

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"

	"realm.internal/supervisor/internal/document"
)

// Load reads one YAML or JSON document and validates it. Unknown and repeated keys, several documents, anchors and
// limits out of bounds are errors; each is an *Error with lines and key paths. An empty document permits nothing.
func Load(r io.Reader) (Grants, error) {
	var g Grants
	source, err := document.Decode(r, &g)
	if err != nil {
		return Grants{}, err
	}
	if err := g.Validate(); err != nil {
		return Grants{}, source.Locate(err)
	}
	return g, nil
}

// UnmarshalJSON is Load: grants inside a larger JSON document are read as strictly.
func (g *Grants) UnmarshalJSON(text []byte) error {
	loaded, err := Load(bytes.NewReader(text))
	if err == nil {
		*g = loaded
	}
	return err
}

// Hash is the SHA-256, in hex, of the grants in canonical form, without the values of secrets.
func Hash(g Grants) string {
	if normal, err := g.Normalize(); err == nil {
		g = normal
	}
	secrets := make(map[string]Secret, len(g.Secrets))
	for name, s := range g.Secrets {
		if s.Value != "" {
			s.Value = "(given)"
		}
		secrets[name] = s
	}
	g.Secrets = secrets
	text, err := json.Marshal(g)
	if err != nil { // strings, integers and booleans always encode
		panic(errors.Join(errors.New("grants: encode"), err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

package grants

import (
	"encoding/json"
	"fmt"
	"strings"
)

// mapHint is the fragment that adds one entry to a map of the grants document.
func mapHint(section, name, value string, valid bool) string {
	if !valid {
		return ""
	}
	return fmt.Sprintf("%s: {%s: %s}", section, flow(name), value)
}

// flow writes text as a string inside a YAML flow collection: plain where no reader could take it for anything else.
func flow(text string) string {
	if plain(text) {
		return text
	}
	quoted, _ := json.Marshal(text) // a string always encodes; JSON strings are YAML strings
	return string(quoted)
}

func plain(text string) bool {
	if text == "" || len(text) > maxPath {
		return false
	}
	switch strings.ToLower(text) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return false
	}
	if c := text[0]; c != '/' && c != '_' && !letter(c) {
		return false
	}
	for i := range len(text) {
		if c := text[i]; !letter(c) && (c < '0' || c > '9') && !strings.ContainsRune("/_.-", rune(c)) {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

package supervisor

import (
	"os"
	"path/filepath"
)

// realmName is the file name of the realm binary.
const realmName = "realm"

// locateRealm finds the realm binary, see Config.RealmPath.
func locateRealm(configured string) (string, error) {
	if configured != "" {
		return configured, nil
	}
	if path := os.Getenv("SUPERVISOR_REALM"); path != "" {
		return path, nil
	}
	var tried []string
	if self, err := os.Executable(); err == nil {
		tried = append(tried, filepath.Join(filepath.Dir(self), realmName))
	}
	tried = append(tried, "/usr/local/libexec/supervisor/"+realmName, "/usr/libexec/supervisor/"+realmName)
	for _, path := range tried {
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			return path, nil
		}
	}
	e := failure(CodeInvalid, nil, "no realm binary: looked for %q", tried)
	e.Hint = "run `make build`, or name it in SUPERVISOR_REALM"
	return "", e
}

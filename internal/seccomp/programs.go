package seccomp

import (
	"crypto/sha256"
	"encoding/hex"
)

//go:generate go run ./gen -out filters

// Realm returns the compiled RealmTable: struct sock_filter instructions, as
// Install and prctl(PR_SET_SECCOMP) take them. It is empty on an architecture
// without a filter, and Install refuses that. The caller owns the slice.
func Realm(jitless bool) []byte {
	if jitless {
		return []byte(realmJitless)
	}
	return []byte(realm)
}

// Command returns the compiled CommandTable, under the same terms as Realm.
func Command() []byte { return []byte(command) }

// SHA256 is the hash of a program in lower-case hexadecimal, as receipts and
// audit records carry it.
func SHA256(program []byte) string {
	sum := sha256.Sum256(program)
	return hex.EncodeToString(sum[:])
}

// Probe stands in for the realm in tests: it does what its second argument says,
// and prints what it sees.
package main

import (
	"fmt"
	"os"
	"strings"

	_ "realm.internal/supervisor/internal/launcher"
)

func main() {
	fmt.Println("life", strings.Join(os.Args, " "))
}

//go:build linux

package realm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// arguments are what the supervisor says on the command line. All of it is the process's, not the run's.
type arguments struct {
	protocol int
	build    string
	heapMb   uint64
	jitless  bool
	locale   string // told for the process list; ICU reads LC_ALL
	timeZone string
}

// parse is strict: an argument that it does not know comes from another version.
func parse(argv []string) (arguments, error) {
	a := arguments{protocol: -1, timeZone: "UTC"}
	for _, s := range argv {
		name, value, _ := strings.Cut(s, "=")
		var err error
		switch name {
		case "--protocol":
			a.protocol, err = strconv.Atoi(value)
		case "--build":
			a.build = value
		case "--heap-mb":
			a.heapMb, err = strconv.ParseUint(value, 10, 32)
		case "--jitless":
			a.jitless = true
		case "--locale":
			a.locale = value
		case "--time-zone":
			a.timeZone = value
		default:
			err = errors.New("unknown")
		}
		if err != nil {
			return a, fmt.Errorf("argument %q: %w", s, err)
		}
	}
	if a.heapMb == 0 {
		return a, errors.New("--heap-mb is missing")
	}
	return a, nil
}

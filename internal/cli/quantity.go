package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"realm.internal/supervisor/pkg/grants"
)

// milliseconds reads a duration flag ("500ms", "30s", "1m30s") for the limit key.
func milliseconds(key, text string) (int64, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no duration: write it like 500ms, 30s or 1m30s", text)
	}
	if d%time.Millisecond != 0 {
		return 0, fmt.Errorf("%q is not a whole number of milliseconds", text)
	}
	most, _, _ := grants.Resources{}.Bound(key)
	maximum := time.Duration(most) * time.Millisecond
	return bounded(key, text, d.Milliseconds(), fmt.Sprintf("use a duration from 1ms to %gh, or leave it out", maximum.Hours()))
}

// mebibytes reads a size flag for the limit key: a number with K, M or G (also
// spelled KB, KiB, …; always 1024-based), or a plain number of MiB.
func mebibytes(key, text string) (int64, error) {
	digits := strings.TrimRight(text, "KMGiBkmgb")
	n, err := strconv.ParseInt(digits, 10, 64)
	const most = 1 << 30 // keeps the multiplication from wrapping
	if err != nil || n > most || n < -most {
		return 0, sizeError(text)
	}
	switch strings.ToUpper(text[len(digits):]) {
	case "", "M", "MB", "MIB":
	case "G", "GB", "GIB":
		n *= 1024
	case "K", "KB", "KIB":
		if n%1024 != 0 {
			return 0, fmt.Errorf("%q is not a whole number of MiB", text)
		}
		n /= 1024
	default:
		return 0, sizeError(text)
	}
	_, fix, _ := grants.Resources{}.Bound(key)
	return bounded(key, text, n, fix)
}

func sizeError(text string) error {
	return fmt.Errorf("%q is no size: write it like 256M or 1G; a plain number is MiB", text)
}

// bounded holds n to the limit key; fix is in the flag's own unit.
func bounded(key, text string, n int64, fix string) (int64, error) {
	maximum, _, _ := grants.Resources{}.Bound(key)
	if n < 1 || n > maximum {
		return 0, fmt.Errorf("%q is out of bounds for %s: %s", text, key, fix)
	}
	return n, nil
}

package value

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"
)

// appendJSNumber writes a finite number as JavaScript's String does.
func appendJSNumber(b []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.AppendInt(b, int64(f), 10)
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	// Go pads the exponent to two digits: 1e-07.
	if n := len(b); b[n-2] == '0' && (b[n-3] == '-' || b[n-3] == '+') {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// bigText is decimal as long as that is cheap: the conversion is not linear,
// and the number may come from a hostile realm.
func bigText(n *big.Int) string {
	const decimalBits = 8 * 4096
	if n.BitLen() <= decimalBits {
		return n.String()
	}
	if n.Sign() < 0 {
		return "-0x" + new(big.Int).Neg(n).Text(16)
	}
	return "0x" + n.Text(16)
}

// dateText is what toISOString gives.
func dateText(t time.Time) string {
	t = t.UTC()
	clock := t.Format("-01-02T15:04:05.000Z")
	switch y := t.Year(); {
	case y >= 0 && y <= 9999:
		return fmt.Sprintf("%04d%s", y, clock)
	case y < 0:
		return fmt.Sprintf("-%06d%s", -y, clock)
	default:
		return fmt.Sprintf("+%06d%s", y, clock)
	}
}

package rpc

import "encoding/binary"

// MaxDepth is how deep containers may nest in one payload. The value codec of
// the realm stops well below it.
const MaxDepth = 16384

// Scan checks that payload is exactly one well-formed msgpack value: every
// length and element count is backed by bytes that are really there, nesting
// stays within MaxDepth, nothing follows. It allocates nothing but the stack of
// open containers and needs time linear in the payload.
func Scan(payload []byte) error {
	n, err := scanValue(payload)
	if err != nil {
		return err
	}
	if n != len(payload) {
		return malformed("%d bytes after the value", len(payload)-n)
	}
	return nil
}

// scanValue returns the length of the value at the start of b.
func scanValue(b []byte) (int, error) {
	var open []int // elements still missing, per open container
	pos := 0
	for {
		size, children, err := scanHead(b[pos:])
		if err != nil {
			return 0, err
		}
		pos += size
		if children > 0 {
			// Each child takes at least one byte.
			if children > len(b)-pos {
				return 0, malformed("a container announces %d elements and %d bytes are left", children, len(b)-pos)
			}
			if len(open) == MaxDepth {
				return 0, malformed("nesting beyond %d", MaxDepth)
			}
			open = append(open, children)
			continue
		}
		for len(open) > 0 {
			top := len(open) - 1
			if open[top]--; open[top] > 0 {
				break
			}
			open = open[:top]
		}
		if len(open) == 0 {
			return pos, nil
		}
	}
}

// Count tells how many values and keys a scanned payload has, and how many of them
// become objects of their own: containers, bytes and extensions.
func Count(payload []byte) (values, objects int) {
	for pos := 0; pos < len(payload); {
		size, _, err := scanHead(payload[pos:])
		if err != nil {
			break // it was not scanned
		}
		switch c := payload[pos]; {
		case c >= 0x80 && c <= 0x9f, c >= 0xc4 && c <= 0xc9, c >= 0xd4 && c <= 0xd8, c >= 0xdc && c <= 0xdf:
			objects++
		}
		values++
		pos += size
	}
	return values, objects
}

// scanHead returns the bytes that the value at b takes without its children,
// and how many children follow.
func scanHead(b []byte) (size, children int, err error) {
	if len(b) == 0 {
		return 0, 0, malformed("truncated")
	}
	c := b[0]
	switch {
	case c <= 0x7f || c >= 0xe0: // fixint
		return 1, 0, nil
	case c <= 0x8f: // fixmap
		return 1, int(c&0x0f) * 2, nil
	case c <= 0x9f: // fixarray
		return 1, int(c & 0x0f), nil
	case c <= 0xbf: // fixstr
		return fixed(b, 1+int(c&0x1f))
	}
	switch c {
	case 0xc0, 0xc2, 0xc3: // nil, false, true
		return 1, 0, nil
	case 0xc4, 0xd9: // bin 8, str 8
		return sized(b, 1, 0)
	case 0xc5, 0xda:
		return sized(b, 2, 0)
	case 0xc6, 0xdb:
		return sized(b, 4, 0)
	case 0xc7: // ext 8: length, then one type byte
		return sized(b, 1, 1)
	case 0xc8:
		return sized(b, 2, 1)
	case 0xc9:
		return sized(b, 4, 1)
	case 0xca, 0xce, 0xd2: // float 32, uint 32, int 32
		return fixed(b, 5)
	case 0xcb, 0xcf, 0xd3:
		return fixed(b, 9)
	case 0xcc, 0xd0:
		return fixed(b, 2)
	case 0xcd, 0xd1:
		return fixed(b, 3)
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8: // fixext 1, 2, 4, 8, 16
		return fixed(b, 2+1<<(c-0xd4))
	case 0xdc: // array 16
		return counted(b, 2, 1)
	case 0xdd:
		return counted(b, 4, 1)
	case 0xde: // map 16
		return counted(b, 2, 2)
	case 0xdf:
		return counted(b, 4, 2)
	}
	return 0, 0, malformed("byte 0x%02x begins no msgpack value", c)
}

func fixed(b []byte, n int) (int, int, error) {
	if len(b) < n {
		return 0, 0, malformed("truncated")
	}
	return n, 0, nil
}

// sized reads a length of width bytes; extra bytes stand between it and the data.
func sized(b []byte, width, extra int) (int, int, error) {
	n, ok := length(b, width)
	if !ok {
		return 0, 0, malformed("truncated")
	}
	return fixed(b, 1+width+extra+n)
}

func counted(b []byte, width, per int) (int, int, error) {
	n, ok := length(b, width)
	if !ok {
		return 0, 0, malformed("truncated")
	}
	return 1 + width, n * per, nil
}

func length(b []byte, width int) (int, bool) {
	if len(b) < 1+width {
		return 0, false
	}
	switch width {
	case 1:
		return int(b[1]), true
	case 2:
		return int(binary.BigEndian.Uint16(b[1:])), true
	default:
		return int(binary.BigEndian.Uint32(b[1:])), true
	}
}

package network

import "net/netip"

// block is a range of addresses: the leading bits of address are theirs.
type block struct {
	address [16]byte
	bits    int
}

// special4 are the IPv4 blocks that are not the public internet, after the IANA special-purpose registry.
var special4 = [...]block{
	{[16]byte{0}, 8},                 // this network; 0.0.0.0 reaches the local host
	{[16]byte{10}, 8},                // private
	{[16]byte{100, 64}, 10},          // carrier-grade NAT
	{[16]byte{127}, 8},               // loopback
	{[16]byte{168, 63, 129, 16}, 32}, // a public number that Azure routes to the platform beneath a guest
	{[16]byte{169, 254}, 16},         // link-local, metadata services
	{[16]byte{172, 16}, 12},          // private
	{[16]byte{192, 0, 0}, 24},        // protocol assignments
	{[16]byte{192, 0, 2}, 24},        // documentation
	{[16]byte{192, 88, 99}, 24},      // 6to4 relays, deprecated
	{[16]byte{192, 168}, 16},         // private
	{[16]byte{198, 18}, 15},          // benchmarking
	{[16]byte{198, 51, 100}, 24},     // documentation
	{[16]byte{203, 0, 113}, 24},      // documentation
	{[16]byte{224}, 4},               // multicast
	{[16]byte{240}, 4},               // reserved, broadcast
}

// public6 is the only block of IPv6 that global unicast addresses are assigned from.
var public6 = block{[16]byte{0x20}, 3}

// special6 are the blocks inside public6 that are not the public internet.
var special6 = [...]block{
	{[16]byte{0x20, 0x01}, 23},             // protocol assignments: Teredo, benchmarking, ORCHID
	{[16]byte{0x20, 0x01, 0x0d, 0xb8}, 32}, // documentation
	{[16]byte{0x20, 0x02}, 16},             // 6to4, deprecated: it carries any IPv4 address
	{[16]byte{0x3f, 0xff}, 20},             // documentation
}

// nat64 is the well-known prefix through which IPv6-only networks reach IPv4.
var nat64 = block{[16]byte{0x00, 0x64, 0xff, 0x9b}, 96}

// public reports whether the address belongs to the public internet. An address that carries an IPv4 address is
// judged by that one.
func public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	if a = a.Unmap(); a.Is4() {
		four := a.As4()
		var b [16]byte
		copy(b[:], four[:])
		return !within(b, special4[:])
	}
	b := a.As16()
	if nat64.holds(b) {
		return public(netip.AddrFrom4([4]byte(b[12:])))
	}
	return public6.holds(b) && !within(b, special6[:])
}

func within(address [16]byte, blocks []block) bool {
	for _, b := range blocks {
		if b.holds(address) {
			return true
		}
	}
	return false
}

func (b block) holds(address [16]byte) bool {
	for i, left := 0, b.bits; left > 0; i, left = i+1, left-8 {
		differ := b.address[i] ^ address[i]
		if left < 8 {
			differ >>= 8 - left
		}
		if differ != 0 {
			return false
		}
	}
	return true
}

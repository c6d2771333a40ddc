package network

import (
	"net/netip"
	"testing"
)

func TestPublicAddresses(t *testing.T) {
	claims := map[string]bool{
		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "10.255.255.255": false, "9.255.255.255": true, "11.0.0.0": true,
		"100.63.255.255": true, "100.64.0.0": false, "100.100.100.200": false, "100.127.255.255": false, "100.128.0.0": true,
		"126.255.255.255": true, "127.0.0.1": false, "127.255.255.255": false, "128.0.0.0": true,
		"168.63.129.16": false, "168.63.129.17": true,
		"169.253.255.255": true, "169.254.0.0": false, "169.254.169.254": false, "169.255.0.0": true,
		"172.15.255.255": true, "172.16.0.0": false, "172.31.255.255": false, "172.32.0.0": true,
		"192.0.0.192": false, "192.0.1.0": true, "192.0.2.1": false, "192.88.99.1": false, "192.168.0.1": false, "192.169.0.0": true,
		"198.17.255.255": true, "198.18.0.0": false, "198.19.255.255": false, "198.20.0.0": true, "198.51.100.7": false, "203.0.113.7": false,
		"223.255.255.255": true, "224.0.0.1": false, "239.255.255.255": false, "240.0.0.1": false, "255.255.255.255": false,
		"8.8.8.8": true, "93.184.216.34": true,

		"::": false, "::1": false, "::7f00:1": false, "::8.8.8.8": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:8.8.8.8": true, "::ffff:0:127.0.0.1": false,
		"64:ff9b::127.0.0.1": false, "64:ff9b::169.254.169.254": false, "64:ff9b::8.8.8.8": true, "64:ff9b:1::8.8.8.8": false,
		"100::1": false, "100:0:0:1::1": false, "2001::1": false, "2001:0:4136:e378:8000:63bf:3fff:fdd2": false, "2001:2::1": false,
		"2001:10::1": false, "2001:20::1": false, "2001:200::1": true, "2001:db8::1": false,
		"2002:7f00:1::": false, "2002:808:808::": false, "2003::1": true, "2606:4700:4700::1111": true, "3fff::1": false, "3fff:1000::1": true,
		"4000::1": false, "5f00::1": false, "fc00::1": false, "fd00:ec2::254": false, "fe80::1": false, "fe80::1%eth0": false,
		"2606:4700::1%eth0": false, "fec0::1": false, "ff02::1": false, "ff0e::1": false,
	}
	for text, want := range claims {
		if got := public(netip.MustParseAddr(text)); got != want {
			t.Errorf("public(%s) = %v", text, got)
		}
	}
	if public(netip.Addr{}) {
		t.Error("the zero address is public")
	}
}

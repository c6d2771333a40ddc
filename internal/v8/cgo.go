package v8

// #cgo CXXFLAGS: -fno-rtti -fPIC -O2 -std=c++20 -fno-strict-aliasing -Wall -Wno-unused-result
// #cgo CXXFLAGS: -DV8_COMPRESS_POINTERS -DV8_31BIT_SMIS_ON_64BIT_ARCH -DV8_ENABLE_SANDBOX
// #cgo LDFLAGS: -Wl,--wrap=x_cgo_init
import "C"

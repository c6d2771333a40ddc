// The codec, compiled as one unit: see native.cc.
#include "codec.cc"
#include "codec_decode.cc"
#include "codec_encode.cc"
#include "codec_kinds.cc"
#include "codec_plain.cc"
#include "codec_scan.cc"
#include "codec_text.cc"
#include "codec_wire.cc"

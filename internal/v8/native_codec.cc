// The codec, compiled as one unit: see native.cc.
#include "codec.cc"
#include "codec_decode.cc"
#include "codec_encode.cc"
#include "codec_text.cc"
#include "codec_wire.cc"
#include "inspect.cc"
#include "inspect_kinds.cc"

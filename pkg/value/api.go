package value

import "errors"

var errTodo = errors.New("not written yet")

func Encode(v any) ([]byte, error)           { return nil, errTodo }
func Decode(b []byte, l Limits) (any, error) { return nil, errTodo }
func DecodeInto(b []byte, dst any) error     { return errTodo }
func Assign(v any, dst any) error            { return errTodo }
func MarshalJSON(v any) ([]byte, error)      { return nil, errTodo }
func FromJSON(b []byte) (any, error)         { return nil, errTodo }
func Text(v any) string                      { return "" }

// Limits bound what Decode takes. The zero value means the defaults.
type Limits struct {
	MaxBytes    int // length of the input; 0: 256 MiB
	MaxDepth    int // nesting; 0: 10 000
	MaxElements int // values in total; 0: bounded by the bytes alone
}

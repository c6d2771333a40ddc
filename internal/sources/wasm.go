package sources

import (
	"bytes"
	"fmt"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
)

// magic begins every binary.
const magic = "\x00asm"

// Wasm reads binaries and their binding scripts. Errors name the grant.
func (r *Reader) Wasm(list []grants.Wasm) ([]rpc.Wasm, error) {
	var all []rpc.Wasm
	for _, g := range list {
		if g.JSBindingPath == "" {
			return nil, fmt.Errorf("wasm: %q has no jsBindingPath, the script that defines what programs use", g.Name)
		}
		binary, err := r.read(g.WasmPath)
		if err != nil {
			return nil, fmt.Errorf("wasm: %q: %w", g.Name, err)
		}
		if !bytes.HasPrefix(binary, []byte(magic)) {
			return nil, fmt.Errorf("wasm: %q: %s is no WebAssembly binary, which begins with %q", g.Name, g.WasmPath, magic)
		}
		binding, err := r.read(g.JSBindingPath)
		if err != nil {
			return nil, fmt.Errorf("wasm: %q: %w", g.Name, err)
		}
		all = append(all, rpc.Wasm{Name: g.Name, Binary: binary, Binding: binding})
	}
	return all, nil
}

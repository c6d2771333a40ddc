package supervisor

import (
	"realm.internal/supervisor/internal/launch"
)

// fileGuard tells the spawner about temporary files.
type fileGuard struct{ spawner *launch.Spawner }

func (g fileGuard) Guard(dir int, name string) (func(), error) {
	return g.spawner.GuardFile(dir, name)
}

// openModules reads the sources that grants name.
func (x *execution) openModules() error {
	if len(x.req.Grants.Modules) > 0 || len(x.req.Grants.Wasm) > 0 {
		return invalid("modules and wasm are not available in this build")
	}
	return nil
}

// openCommands holds the granted executables.
func (x *execution) openCommands() error {
	if len(x.req.Grants.Subprocess.Commands) > 0 {
		return invalid("subprocess is not available in this build")
	}
	return nil
}

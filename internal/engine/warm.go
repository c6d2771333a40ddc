package engine

// Warm prepares what sources need and none must pay for: the engine's way through a script, the capabilities, the type stripper. A
// realm that waits for its source calls it. Nothing of it can be seen by the guest.
func (e *Engine) Warm() {
	e.realm.Warm("capabilities")
	_, _ = strip("warm.ts", "const n: number = 1; export default async (a: string) => `${a}${n}`;")
}

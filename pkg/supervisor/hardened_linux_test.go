package supervisor_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/policy"
	"realm.internal/supervisor/pkg/supervisor"
)

// hardenedVariable makes every run of this test binary one of the hardened tier.
const hardenedVariable = "E2E_HARDENED"

// ofTheLanguage are the tests of what a guest sees, which every tier and every
// engine must pass.
const ofTheLanguage = "Form$|DefaultExport|Frozen|Positions|Stacks|Imported|Timers|NobodyAwaits|KeepTheirType|GoValues|CannotCross|Awaited|Rejection|Thrown|HostileResult|" +
	"TypeScript|Globals|PhaseAndEffects|EveryDoor|ComeBack|JSONWould|GoTypes|Parameters|Codec|Overflow|Causes|Tampering|Syntax|MissingGlobal|WhileWaiting|" +
	"OfEveryKind|ItsOwnFiles|RefusedImport|CommonJS|InAModule|Prompt|Prototypes|Pristine|Internals|Unchanged|ConsoleText|OfOurOwn|Odd"

// again runs the tests of the language in another process, and answers what failed.
func again(t *testing.T, environment ...string) string {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.v", "-test.timeout=240s", "-test.run="+ofTheLanguage, "-test.skip=Rootless|Hardened")
	cmd.Env = append(os.Environ(), environment...)
	output, err := cmd.CombinedOutput()
	if ran := strings.Count(string(output), "=== RUN"); ran < 40 {
		t.Errorf("%d tests ran", ran)
	}
	if err == nil {
		return ""
	}
	return err.Error() + "\n" + failuresIn(string(output))
}

// The hardened tier is slower, and that is all that a guest without WebAssembly
// can tell.
func TestTheHardenedTierPassesTheSameSuite(t *testing.T) {
	if failures := again(t, realmVariable+"="+realmPath, hardenedVariable+"=1"); failures != "" {
		t.Error(failures)
	}
}

func TestTheHardenedTierIsOnTheReceipt(t *testing.T) {
	t.Parallel()
	off, on := false, true
	hardened := granted(grants.Grants{Engine: grants.Engine{JIT: &off}})
	res := succeed(t, `[typeof WebAssembly, (() => { let n = 0; for (let i = 0; i < 1e5; i++) n += i % 7; return n })(), /(a|b)+c/.test('ababc'), new Function('return 1')()]`, hardened)
	if text, _ := res.ValueJSON(); string(text) != `["undefined",299995,true,1]` {
		t.Errorf("%s", text)
	}
	text, err := json.Marshal(res.Receipt)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(text), `"engine":{"jit":false}`)
	plain := succeed(t, `1`, granted(grants.Grants{Engine: grants.Engine{JIT: &on}}))
	if !plain.Receipt.Engine.JIT || plain.Receipt.SeccompSHA256 == res.Receipt.SeccompSHA256 {
		t.Errorf("both tiers have the filter %s", plain.Receipt.SeccompSHA256)
	}
	// A use of what is not there says so as any other.
	_, e := fails(t, supervisor.ErrRuntime, `WebAssembly.validate(new Uint8Array(8))`, hardened)
	contains(t, e.Message, "WebAssembly is not defined")
	contains(t, e.Hint, "jit")
}

func TestAPolicyCanRequireTheHardenedTier(t *testing.T) {
	t.Parallel()
	p, err := policy.Load(strings.NewReader("version: 1\nceilings: {engine: {jit: false}}"))
	if err != nil {
		t.Fatal(err)
	}
	s := supervise(t, supervisor.Config{Policy: p})
	on, off := true, false
	_, err = runIn(t, s, `1`, granted(grants.Grants{Engine: grants.Engine{JIT: &on}}))
	e := failed(t, supervisor.ErrInvalid, err)
	contains(t, e.Message, "engine.jit")
	res, err := runIn(t, s, `typeof WebAssembly`, granted(grants.Grants{Engine: grants.Engine{JIT: &off}}))
	if err != nil || res.Value != "undefined" || res.Receipt.Engine.JIT {
		t.Errorf("%v, %v", res.Value, err)
	}
}

package supervisor

import (
	"maps"
	"strconv"

	"realm.internal/supervisor/internal/build"
	"realm.internal/supervisor/internal/confine"
)

// receipt is what was read back from the kernel for realm, and what it will run.
func (x *execution) receipt(realm *confine.Realm, source, grants string) *Receipt {
	k := realm.Receipt
	r := &Receipt{
		Layers: map[string]Layer{}, UID: k.UID.Outside, Namespaces: maps.Clone(k.Namespaces),
		Cgroup: map[string]string{
			"path":        k.Cgroup.Path,
			"memoryBytes": strconv.FormatInt(k.Cgroup.MemoryBytes, 10),
			"pids":        strconv.FormatInt(k.Cgroup.Pids, 10),
			"cpus":        strconv.FormatFloat(k.Cgroup.CPUs, 'g', -1, 64),
		},
		Descriptors:   map[string]string{},
		SeccompSHA256: realm.Ready.SeccompSHA256,
		Realm:         RealmInfo{Version: build.Version, V8: realm.Ready.V8, sha256: realm.Digest},
		Engine:        EngineInfo{JIT: realm.Spec.JIT},
		SourceSHA256:  source, GrantsSHA256: grants, PolicySHA256: x.s.cfg.PolicySHA256,
		Weakenings: x.s.host.confine.Weakenings(),
	}
	for name, l := range k.Layers {
		r.Layers[name] = Layer{State: l.State, Detail: l.Detail}
	}
	for _, d := range k.Descriptors {
		r.Descriptors[strconv.Itoa(d.FD)] = d.Kind
	}
	if r.Weakenings == nil {
		r.Weakenings = []string{}
	}
	return r
}

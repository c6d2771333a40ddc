package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/policy"
)

func (a *app) policyCommand() *cobra.Command {
	var grantsFile string
	check := &cobra.Command{
		Use:   "check FILE|-",
		Short: "Validate a policy and say what it allows at most",
		Long: `Validates a policy and says in plain words what it allows at most. With --grants,
says of each thing in that document whether the policy allows it; the exit status
is then 2 when something is refused.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.checkPolicy(args[0], grantsFile) },
	}
	check.Flags().StringVar(&grantsFile, "grants", "", "hold this grants document to the policy")
	return parent("policy", "Check policies", check)
}

func (a *app) checkPolicy(path, grantsFile string) error {
	if err := oneStdin(named{"FILE", path}, named{"--grants", grantsFile}); err != nil {
		return err
	}
	p, err := a.loadPolicy(path)
	if err != nil {
		return err
	}
	if grantsFile != "" {
		return a.explain(p, grantsFile)
	}
	if len(p.RequiredLayers) > 0 {
		a.out.line("Layers that must be enforced, whatever a flag waives: " + join(p.RequiredLayers))
	}
	if p.Ceilings == nil {
		a.out.line("Grants that callers bring may permit nothing: there are no ceilings.")
	} else {
		a.out.line("At most, a guest:")
		a.items(describe(*p.Ceilings))
	}
	for _, name := range keys(p.Profiles) {
		a.out.line("Under the profile " + name + ", a guest:")
		a.items(describe(p.Profiles[name]))
	}
	for _, c := range p.Callers {
		a.out.line(callerText(c))
	}
	for _, err := range a.lacking(p) {
		a.err.painted(yellow, "warning: "+called(path)+": "+err.Error())
	}
	return nil
}

// lacking says what runs under the policy would be refused for on this host, which need not be the one it is for.
func (a *app) lacking(p *policy.Policy) (all []error) {
	for _, name := range keys(p.Profiles) {
		refused, absent := a.unusable(p.Profiles[name])
		for _, err := range slices.Concat(refused, absent) {
			all = append(all, fmt.Errorf("profiles.%s: %w", name, err))
		}
	}
	for i, s := range p.Audit {
		if s.File == "" {
			continue
		}
		_, err := audit.Head(s.File)
		if errors.Is(err, fs.ErrNotExist) {
			_, err = os.Stat(filepath.Dir(s.File))
		}
		if err != nil {
			if p, ok := errors.AsType[*fs.PathError](err); ok {
				err = p.Err
			}
			all = append(all, fmt.Errorf("audit[%d]: %s: %w", i, s.File, err))
		}
	}
	return all
}

func (a *app) items(lines []string) {
	for _, line := range lines {
		a.out.line("  - " + line)
	}
}

// explain says what the policy says to each line of a grants document.
func (a *app) explain(p *policy.Policy, grantsFile string) error {
	g, err := a.loadGrants(grantsFile)
	if err != nil {
		return err
	}
	brought := map[string]policy.Line{}
	for _, l := range p.ExplainBrought(g) {
		brought[l.Path] = l
	}
	refused := false
	for _, l := range p.Explain(g) {
		if !l.Allowed {
			refused = true
			a.out.painted(red, "refused  "+l.Path+": "+l.Value+" "+l.Reason)
			if l.Fix != "" {
				a.out.line("         " + l.Fix)
			}
			continue
		}
		a.out.line("allowed  " + l.Path + ": " + l.Value)
		if b, ok := brought[l.Path]; ok && !b.Allowed {
			a.out.line("         but not when a caller of the service brings it: it " + b.Reason)
		}
	}
	if refused {
		return status(exitInvalid)
	}
	return nil
}

func callerText(c policy.Caller) string {
	who := "The holder of the token " + c.Token
	switch {
	case c.UID != nil:
		who = fmt.Sprintf("The user %d", *c.UID)
	case c.GID != nil:
		who = fmt.Sprintf("The group %d", *c.GID)
	}
	may := "no profile"
	if len(c.Profiles) > 0 {
		may = "the profiles " + join(c.Profiles)
	}
	if c.Grants {
		may += " and grants of their own"
	}
	return who + " may use " + may + "."
}

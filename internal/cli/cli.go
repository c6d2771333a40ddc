// Package cli is the command line: each command turns flags into one call of a
// package, and its answer into text and an exit status.
//
// # Trust
//
// Flags, files and environment come from the user who starts the command. What
// a guest wrote (its result, console output, errors, the targets of its
// operations) is text that a terminal or a CI runner must never obey; it is
// written through a screen and nowhere else.
//
// # Concurrency
//
// Main is called once in a process.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"realm.internal/supervisor/internal/build"
	"realm.internal/supervisor/pkg/supervisor"
)

// Host is the process around the command line.
type Host struct {
	In        io.Reader
	Out, Err  io.Writer // asked for a terminal when they are *os.File
	LookupEnv func(string) (string, bool)
	Exit      func(status int) // ends the process at once: the second signal
}

// Exit statuses that are no run's code.
const (
	exitInvalid  = 2
	exitInternal = 70
)

// status ends a command that has said what there was to say.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Main runs the command that args name and returns the exit status.
func Main(args []string, h Host) (code int) {
	a := &app{Host: h, out: newScreen(h, h.Out), err: newScreen(h, h.Err)}
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(h.Err, "supervisor: internal fault: %v\n%s", fault, debug.Stack())
			code = exitInternal
		}
	}()
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	code = a.answer(cmd, args, err)
	a.fault(a.out.failed())
	if code == 0 && a.faulty {
		return exitInternal
	}
	return code
}

// app is one invocation.
type app struct {
	Host
	out, err *screen
	faulty   bool // something of ours went wrong beside the command's own outcome
}

// fault reports an error that is no outcome of the command.
func (a *app) fault(err error) {
	if err != nil {
		a.faulty = true
		a.err.problem(err.Error())
	}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "supervisor",
		Short:         "Runs untrusted JavaScript and TypeScript with nothing but what was granted",
		Version:       build.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(a.Err) // nothing was asked for
			return errors.Join(cmd.Help(), status(exitInvalid))
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return emptyFlag(cmd.Flags()) },
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w\nsee %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(a.runCommand(), a.doctorCommand(), a.grantsCommand(), a.policyCommand(), a.auditCommand(), a.typesCommand(), a.serveCommand(), a.versionCommand())
	root.SetHelpCommand(helpCommand())
	return root
}

// helpCommand is cobra's, but that it refuses what is no command.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("unknown command %q\nsee supervisor --help", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// emptyFlag refuses flags that were given without a value. `--policy "$POLICY"` with an unset variable must not run without a
// policy, nor `--read "$DIR"` grant the current directory.
func emptyFlag(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if err == nil && (len(values) == 0 || slices.Contains(values, "")) {
			err = fmt.Errorf("--%s is empty: give it a value or leave it out", f.Name)
		}
	})
	return err
}

// answer says why a command ended that has not said so itself, in the form that its arguments ask for: who reads JSON reads it
// also when a flag beside --json is wrong.
func (a *app) answer(cmd *cobra.Command, args []string, err error) int {
	var said status
	if err == nil || errors.As(err, &said) {
		return a.status(err)
	}
	switch asks := asking(args); {
	case asks("json") && cmd.Name() == "doctor":
		return a.status(a.undiagnosed(err))
	case asks("json"):
		return a.status((&documentReport{a}).refused(err))
	case asks("observation"):
		return a.status((&observationReport{a}).refused(err))
	case asks("events"):
		return a.status((&eventReport{app: a}).refused(err))
	}
	return a.status(err)
}

// asking tells which switches are among the flags, whether they can be parsed or not.
func asking(args []string) func(name string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return func(name string) bool {
		return slices.ContainsFunc(args, func(word string) bool {
			rest, ok := strings.CutPrefix(word, "--"+name)
			on, err := strconv.ParseBool(strings.TrimPrefix(rest, "="))
			return ok && (rest == "" || rest[0] == '=' && (on || err != nil))
		})
	}
}

// status says what err is, if nobody has, and gives the exit status.
func (a *app) status(err error) int {
	var said status
	var failed *supervisor.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &said):
		return int(said)
	case errors.As(err, &failed):
		a.err.failure(failed, "", "")
		return failed.Code.ExitStatus()
	}
	a.err.problem(err.Error())
	return exitInvalid
}

// parent makes a command that only groups others.
func parent(use, short string, children ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return fmt.Errorf("%s needs a command\nsee %[1]s --help", cmd.CommandPath())
		},
	}
	cmd.AddCommand(children...)
	return cmd
}

func isTerminal(w io.Writer, check func(fd int) bool) bool {
	file, ok := w.(*os.File)
	return ok && check(int(file.Fd()))
}

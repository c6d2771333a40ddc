package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"realm.internal/supervisor/pkg/audit"
)

func (a *app) auditCommand() *cobra.Command {
	verify := &cobra.Command{
		Use:   "verify FILE|-",
		Short: "Check an audit log's chain of hashes",
		Long: `Checks that every line of the log is an intact record that follows from the
line before. The exit status is 0 when it is, 1 with the number of the first bad
line when it is not. Lines that were cut off the end can be noticed only by
comparing the head with the one on a receipt.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.verify(args[0]) },
	}
	return parent("audit", "Check audit logs", verify)
}

func (a *app) verify(path string) error {
	in, err := a.open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	sum, err := audit.Verify(in)
	if bad, ok := errors.AsType[*audit.CorruptError](err); ok {
		a.err.linef("%s: line %d is bad: %s", called(path), bad.Line, bad.Reason)
		a.err.linef("%d intact records before it", sum.Records)
		return status(1)
	}
	if err != nil {
		return err
	}
	a.out.linef("%s: intact, %d records", called(path), sum.Records)
	if sum.Records > 0 {
		a.out.linef("from %s to %s", moment(sum.First), moment(sum.Last))
	}
	a.out.line("head " + sum.Head)
	return nil
}

func moment(ms int64) string {
	return fmt.Sprint(time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.000 MST"))
}

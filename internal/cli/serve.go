package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"realm.internal/supervisor/internal/build"
	"realm.internal/supervisor/internal/service"
)

// Where a service of the system, or else of a user, has its files.
const (
	systemPolicy = "/etc/supervisor/policy.yaml"
	systemSocket = "/run/supervisor/supervisor.sock"
)

// serveFlags are the flags of `supervisor serve`.
type serveFlags struct {
	service   service.Config
	socket    string
	group     string
	listen    string
	plaintext bool
	drain     time.Duration
	format    string
	level     string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve runs to the users of this host, under a policy",
		Long: `Serves the HTTP API over a unix socket, and over TCP to holders of tokens. The policy
says who may call and what they get at most. Sockets that systemd passes are used
instead of one of our own.

SIGHUP reads policy, tokens and certificates again, all or nothing. SIGTERM and SIGINT
wait for live runs, up to --drain; a second one aborts them.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), &f) },
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.service.Policy, "policy", "", "the policy (default "+systemPolicy+"; for users below $XDG_CONFIG_HOME)")
	s.StringVar(&f.socket, "socket", "", "unix socket to make, mode 0660 (default where nothing else is listened on: "+systemSocket+"; for users below $XDG_RUNTIME_DIR)")
	s.StringVar(&f.group, "socket-group", "", "group that may use the socket")
	s.StringVar(&f.listen, "listen", "", "listen on `HOST:PORT`, and on a unix socket only if --socket is given; needs --token-file")
	s.StringVar(&f.service.TokenFile, "token-file", "", "tokens of callers over TCP: lines of a name, a space and a token")
	s.StringVar(&f.service.TLSCert, "tls-cert", "", "certificate for TCP, PEM")
	s.StringVar(&f.service.TLSKey, "tls-key", "", "key of the certificate, PEM")
	s.StringVar(&f.service.TLSClientCA, "tls-client-ca", "", "clients must show a certificate that this one signed, PEM")
	s.BoolVar(&f.plaintext, "allow-plaintext", false, "listen beyond loopback without TLS; this sends tokens in clear")
	s.IntVar(&f.service.Queue, "queue", 256, "runs of each caller that may wait for a place")
	s.DurationVar(&f.service.QueueTimeout, "queue-timeout", 10*time.Second, "how long they wait")
	s.DurationVar(&f.drain, "drain", 30*time.Second, "how long live runs may take when the service is stopped")
	s.StringSliceVar(&f.service.AllowMissing, "allow-missing", nil, "run although `LAYER[,LAYER]` cannot be enforced; this weakens the isolation")
	s.StringVar(&f.format, "log-format", "text", "text or json")
	s.StringVar(&f.level, "log-level", "info", "debug, info, warn or error")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	return cmd
}

func (a *app) serve(ctx context.Context, f *serveFlags) error {
	if err := a.fillServe(f); err != nil {
		return err
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	listeners, err := a.listeners(f)
	if err != nil {
		return err
	}
	f.service.Traces = a.traces(f)
	defer closeTraces(f.service.Traces)
	s, err := service.New(f.service)
	if err != nil {
		for _, l := range listeners {
			_ = l.Close()
		}
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- f.steer(ctx, s, signals) }()
	err = s.Serve(listeners...)
	cancel()
	return errors.Join(err, <-stopped)
}

// fillServe completes the flags with what this process finds around it.
func (a *app) fillServe(f *serveFlags) error {
	c := &f.service
	if c.Queue < 0 || c.QueueTimeout < 0 || f.drain < 0 {
		return errors.New("--queue, --queue-timeout and --drain cannot be negative")
	}
	if f.listen != "" && c.TokenFile == "" {
		return errors.New("--listen needs --token-file: over TCP nobody else says who calls")
	}
	for _, file := range []named{
		{"--policy", c.Policy}, {"--token-file", c.TokenFile}, {"--tls-cert", c.TLSCert}, {"--tls-key", c.TLSKey}, {"--tls-client-ca", c.TLSClientCA},
	} {
		if file.path == "-" {
			return fmt.Errorf("%s cannot be standard input: the service reads it again at a SIGHUP", file.where)
		}
	}
	var err error
	if c.Logger, err = a.serviceLogger(f.format, f.level); err != nil {
		return err
	}
	c.Stderr = a.Err
	if c.Policy == "" {
		if c.Policy, err = a.place(systemPolicy, "XDG_CONFIG_HOME", ".config", "supervisor/policy.yaml"); err != nil {
			return fmt.Errorf("--policy: %w", err)
		}
		if _, err := os.Stat(c.Policy); err != nil {
			return fmt.Errorf("serve needs a policy that says who may call: %w; name one with --policy", fileError(c.Policy, err))
		}
	}
	c.Notify = func(state string) {
		if _, err := daemon.SdNotify(false, state); err != nil {
			c.Logger.Warn("the service manager could not be told", "state", state, "error", err)
		}
	}
	c.Watchdog, err = daemon.SdWatchdogEnabled(true)
	return err
}

// place is a path of the system for root, and one of their own for users.
func (a *app) place(system, variable, fallback, name string) (string, error) {
	if os.Geteuid() == 0 {
		return system, nil
	}
	if dir, _ := a.LookupEnv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, name), nil
	}
	home, _ := a.LookupEnv("HOME")
	if fallback == "" || !filepath.IsAbs(home) {
		return "", fmt.Errorf("%s is not set", variable)
	}
	return filepath.Join(home, fallback, name), nil
}

// listeners are the sockets that systemd passed, and those that flags ask for.
func (a *app) listeners(f *serveFlags) (all []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, l := range all {
				_ = l.Close()
			}
		}
	}()
	if all, err = service.Activated(); err != nil {
		return all, err
	}
	tcp := f.listen != ""
	for _, l := range all {
		if l.Addr().Network() == "unix" {
			f.service.Protect = append(f.service.Protect, l.Addr().String())
			continue
		}
		tcp = true
		if f.service.TokenFile == "" {
			return all, fmt.Errorf("the socket %s that was passed is TCP, which needs --token-file", l.Addr())
		}
		if err := service.CheckTCP(l.Addr().String(), f.service.TLSCert != "", f.plaintext); err != nil {
			return all, fmt.Errorf("a socket was passed: %w", err)
		}
	}
	if f.plaintext && !tcp {
		return all, errors.New("--allow-plaintext is for TCP: for --listen, or a socket that is passed")
	}
	if f.listen != "" {
		l, err := service.ListenTCP(f.listen, f.service.TLSCert != "", f.plaintext)
		if err != nil {
			return all, err
		}
		all = append(all, l)
	}
	if f.socket == "" && len(all) == 0 {
		if f.socket, err = a.place(systemSocket, "XDG_RUNTIME_DIR", "", "supervisor.sock"); err != nil {
			return all, fmt.Errorf("--socket: %w", err)
		}
	}
	if f.socket == "" {
		return all, nil
	}
	gid := -1
	if f.group != "" {
		if gid, err = groupID(f.group); err != nil {
			return all, fmt.Errorf("--socket-group: %w", err)
		}
	}
	l, err := service.ListenUnix(f.socket, gid)
	if err != nil {
		return all, err
	}
	f.service.Protect = append(f.service.Protect, f.socket)
	return append(all, l), nil
}

func groupID(name string) (int, error) {
	if n, err := strconv.Atoi(name); err == nil {
		return n, nil
	}
	g, err := user.LookupGroup(name)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(g.Gid)
}

// steer does what signals ask for, and returns when the service has ended.
func (f *serveFlags) steer(ctx context.Context, s *service.Service, signals <-chan os.Signal) error {
	f.service.Logger.Info("started", "version", build.Version, "policy", f.service.Policy)
	for {
		select {
		case <-ctx.Done(): // a listener failed
			now, cancel := context.WithCancel(context.Background())
			cancel()
			return s.Shutdown(now)
		case got := <-signals:
			if got == syscall.SIGHUP {
				f.reload(s)
				continue
			}
		}
		drain, cancel := context.WithTimeout(context.Background(), f.drain)
		defer cancel()
		go func() {
			for got := range signals {
				if got != syscall.SIGHUP {
					cancel()
					return
				}
			}
		}()
		err := s.Shutdown(drain)
		f.service.Logger.Info("stopped")
		return err
	}
}

func (f *serveFlags) reload(s *service.Service) {
	notify := f.service.Notify
	notify("RELOADING=1\nMONOTONIC_USEC=" + strconv.FormatInt(monotonic(), 10))
	status := "Reloaded"
	if s.Reload() != nil {
		status = "Reload refused: everything stays as it was"
	}
	notify("READY=1\nSTATUS=" + status)
}

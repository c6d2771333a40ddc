package service

import (
	"errors"
	"io"
	"log/slog"
	"runtime"
	"time"

	"realm.internal/supervisor/internal/traces"
	"realm.internal/supervisor/pkg/policy"
)

// Config is how a Service works.
type Config struct {
	// Policy is the path of the policy. Required; read again by Reload.
	Policy string
	// TokenFile holds the tokens of callers over TCP, see parseTokens; "" for none. Read again by Reload.
	TokenFile string
	// TLSCert and TLSKey are PEM files, both or none; TLSClientCA, besides, makes clients show a certificate that it
	// signed. Read again by Reload.
	TLSCert, TLSKey, TLSClientCA string
	// RealmPath as in supervisor.Config.
	RealmPath string
	// AllowMissing names waived layers, see supervisor.Config; what the policy requires cannot be waived.
	AllowMissing []string
	// Protect names further host paths that no write root may hold: the service's socket.
	Protect []string
	// Queue is how many runs of each identity may wait for a place, for up to QueueTimeout. Default: none.
	Queue        int
	QueueTimeout time.Duration
	// CheckEvery is the time between self-checks, or less where the watchdog needs it. Default 15 s.
	CheckEvery time.Duration
	// Stderr takes the audit records of a policy that wants them there.
	Stderr io.Writer
	// Logger takes what happens. Required.
	Logger *slog.Logger
	// Traces takes what requests were and how long their phases took. Nil: nobody. Who made it closes it.
	Traces *traces.Recorder
	// Notify tells the service manager a state, see sd_notify(3). Nil: nobody.
	Notify func(state string)
	// Watchdog is how often the service manager expects to hear that all is well; 0: never.
	Watchdog time.Duration

	patience time.Duration // tests: the limits on slow clients
}

func (c *Config) fill() error {
	if c.Policy == "" {
		return errors.New("the service needs a policy")
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return errors.New("a TLS certificate needs its key and the key its certificate")
	}
	if c.TLSClientCA != "" && c.TLSCert == "" {
		return errors.New("client certificates need a TLS certificate of the service")
	}
	if c.CheckEvery == 0 {
		c.CheckEvery = 15 * time.Second
	}
	if c.Notify == nil {
		c.Notify = func(string) {}
	}
	if c.patience == 0 {
		c.patience = 30 * time.Second
	}
	return nil
}

// interval is the time between self-checks: short enough for the service manager to bear one that fails.
func (c *Config) interval() time.Duration {
	if third := c.Watchdog / 3; third > 0 && third < c.CheckEvery {
		return third
	}
	return c.CheckEvery
}

// maxRealms is the most realms that p lets live.
func maxRealms(p *policy.Policy) int {
	if n := int(p.Pool.MaxConcurrent); n > 0 {
		return n
	}
	return 2 * runtime.NumCPU()
}

package service

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/policy"
	"realm.internal/supervisor/pkg/supervisor"
)

// generation is everything that a policy decides. A reload makes another; runs keep the one that they began with.
type generation struct {
	policy *policy.Policy
	hash   string
	tokens *tokens     // nil: none
	tls    *tls.Config // nil: plain text
	sup    *supervisor.Supervisor
	sink   audit.Sink // nil: none
	users  sync.WaitGroup
}

// open reads what the operator wrote and prepares the host for it: whole or not at all.
func (c *Config) open() (*generation, error) {
	g := &generation{}
	var err error
	if g.policy, err = policy.LoadFile(c.Policy); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	g.hash = policy.Hash(g.policy)
	if c.TokenFile != "" {
		if g.tokens, err = loadTokens(c.TokenFile, c.Logger); err != nil {
			return nil, fmt.Errorf("tokens: %w", err)
		}
	}
	if c.TLSCert != "" {
		if g.tls, err = c.certificates(); err != nil {
			return nil, fmt.Errorf("TLS: %w", err)
		}
	}
	if g.sink, err = c.sinks(g.policy); err != nil {
		return nil, err
	}
	g.sup, err = supervisor.New(supervisor.Config{
		RealmPath: c.RealmPath, Policy: g.policy, Audit: g.sink, Logger: c.Logger,
		MaxConcurrent: maxRealms(g.policy), WarmPoolSize: int(g.policy.Pool.WarmPoolSize),
		// The gate has let a run in when another is over, whose realm may be on its way out.
		MaxQueue: supervisor.MaxRealms, QueueTimeout: 10 * time.Second,
		AllowMissing: c.AllowMissing, Protect: c.protected(),
	})
	if err != nil {
		if g.sink != nil {
			_ = g.sink.Close()
		}
		return nil, err
	}
	return g, nil
}

// protected are the paths that no write root may hold, beside the policy's.
func (c *Config) protected() []string {
	var all []string
	for _, p := range append([]string{c.Policy, c.TokenFile, c.TLSCert, c.TLSKey, c.TLSClientCA}, c.Protect...) {
		if p == "" {
			continue
		}
		if full, err := filepath.Abs(p); err == nil {
			all = append(all, full)
		}
	}
	return all
}

func (c *Config) sinks(p *policy.Policy) (audit.Sink, error) {
	var open []audit.Sink
	for _, s := range p.Audit {
		if s.Stderr {
			open = append(open, audit.NewWriter(c.Stderr))
			continue
		}
		sink, err := audit.OpenFile(s.File, audit.FileOptions{})
		if err != nil {
			for _, s := range open {
				_ = s.Close()
			}
			return nil, fmt.Errorf("open audit log: %w", err)
		}
		open = append(open, sink)
	}
	if len(open) == 0 {
		return nil, nil
	}
	return audit.Tee(open[0], open[1:]...), nil
}

func (c *Config) certificates() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, err
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	if c.TLSClientCA == "" {
		return t, nil
	}
	pem, err := os.ReadFile(c.TLSClientCA)
	if err != nil {
		return nil, err
	}
	t.ClientAuth, t.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
	if !t.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", c.TLSClientCA)
	}
	return t, nil
}

// close ends what is left of g when ctx ends, and waits for it.
func (g *generation) close(ctx context.Context) error {
	err := g.sup.Shutdown(ctx)
	g.users.Wait()
	if g.sink != nil {
		if cerr := g.sink.Close(); err == nil {
			err = cerr
		}
	}
	return err
}

// retire ends g once nobody uses it any more.
func (g *generation) retire() error {
	g.users.Wait()
	return g.close(context.Background())
}

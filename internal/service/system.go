package service

import (
	"context"
	_ "embed" // openapi.json
	"net/http"
	"sync"
	"time"

	"realm.internal/supervisor/internal/doctor"
	"realm.internal/supervisor/internal/metrics"
	"realm.internal/supervisor/pkg/supervisor"
)

//go:embed openapi.json
var openAPI []byte

// describe is the API's own description.
func (s *Service) describe(c *call) error {
	c.w.Header().Set("Content-Type", "application/json")
	_, err := c.w.Write(openAPI)
	return err
}

// healthz says that the service answers.
func (s *Service) healthz(c *call) error {
	return writeJSON(c, http.StatusOK, map[string]string{"status": "ok"})
}

// readyz says whether a run would begin now.
func (s *Service) readyz(c *call) error {
	s.mu.Lock()
	draining := s.draining
	s.mu.Unlock()
	if draining {
		return stopping()
	}
	if err := s.health.last(); err != nil {
		p := runProblem(err)
		p.Status, p.Title = http.StatusServiceUnavailable, http.StatusText(http.StatusServiceUnavailable)
		return p
	}
	return writeJSON(c, http.StatusOK, map[string]string{"status": "ready"})
}

// measure writes the figures.
func (s *Service) measure(c *call) error {
	c.w.Header().Set("Content-Type", metrics.ContentType)
	return s.metrics.registry.Write(c.w)
}

// doctorAge is how long a diagnosis is good for: each tries every layer.
const doctorAge = 10 * time.Second

// doctorCache keeps the last diagnosis.
type doctorCache struct {
	mu     sync.Mutex
	at     time.Time
	report *doctor.Report
}

// diagnose says which layers this host can enforce.
func (s *Service) diagnose(c *call) error {
	report, err := s.doctor.get(s)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, report)
}

func (d *doctorCache) get(s *Service) (*doctor.Report, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.report != nil && time.Since(d.at) < doctorAge {
		return d.report, nil
	}
	path, err := supervisor.FindRealm(s.cfg.RealmPath)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), doctorAge)
	defer cancel()
	report, err := doctor.Probe(ctx, path, s.log)
	if err != nil {
		return nil, err
	}
	d.at, d.report = time.Now(), report
	return report, nil
}

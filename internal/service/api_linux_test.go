package service

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

var update = flag.Bool("update", false, "write the grants document's schema into openapi.json")

const everything = `version: 1
ceilings:
  filesystem: {read: [DIR]}
  environment: {MODE: "*"}
  tools: {allowed: ["*"]}
  resources: {wallClockMs: 60000, cpuMs: 60000, maxResultBytes: 268435456}
profiles:
  plain: {environment: {MODE: profile}}
callers:
  - {uid: ME, profiles: [plain], grants: true}
  - {token: ci, profiles: [plain]}
`

// described is a transport that holds every request and every answer to openapi.json.
type described struct {
	t      *testing.T
	next   http.RoundTripper
	router routers.Router
	seen   map[string]map[int]bool // by "METHOD path"
}

func describedClient(t *testing.T, next http.RoundTripper) (*http.Client, *described) {
	t.Helper()
	doc := loadDescription(t)
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	openapi3filter.RegisterBodyDecoder(ndjson, func(io.Reader, http.Header, *openapi3.SchemaRef, openapi3filter.EncodingFn) (any, error) {
		return nil, nil
	})
	d := &described{t: t, next: next, router: router, seen: map[string]map[int]bool{}}
	return &http.Client{Transport: d}, d
}

func loadDescription(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openAPI)
	if err == nil {
		err = doc.Validate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	doc.Security, doc.Servers = nil, nil // who may call, and where, is no matter of shapes
	return doc
}

func (d *described) RoundTrip(r *http.Request) (*http.Response, error) {
	route, params, err := d.router.FindRoute(r)
	if err != nil {
		d.t.Errorf("%s %s is not described: %v", r.Method, r.URL.Path, err)
		return d.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route}
	wrong := openapi3filter.ValidateRequest(context.Background(), in)
	r.Body = io.NopCloser(bytes.NewReader(body))
	res, err := d.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if wrong != nil && res.StatusCode < 300 {
		d.t.Errorf("%s %s was taken and is not as described: %v", r.Method, r.URL.Path, wrong)
	}
	key := r.Method + " " + route.Path
	if d.seen[key] == nil {
		d.seen[key] = map[int]bool{}
	}
	d.seen[key][res.StatusCode] = true
	answer, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(answer))
	bodies := [][]byte{answer}
	if strings.HasPrefix(res.Header.Get("Content-Type"), ndjson) {
		bodies = nil
		for line := range bytes.Lines(answer) {
			d.event(route, line)
		}
	}
	for _, b := range bodies {
		out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: res.StatusCode, Header: res.Header, Body: io.NopCloser(bytes.NewReader(b))}
		if err := openapi3filter.ValidateResponse(context.Background(), out); err != nil {
			d.t.Errorf("the answer to %s %s is not as described: %v", r.Method, r.URL.Path, err)
		}
	}
	return res, nil
}

func (d *described) event(route *routers.Route, line []byte) {
	var v any
	err := json.Unmarshal(line, &v)
	if err == nil {
		err = route.Spec.Components.Schemas["Event"].Value.VisitJSON(v)
	}
	if err != nil {
		d.t.Errorf("the event %s is not as described: %v", line, err)
	}
}

func TestTheDescriptionHasTheRoutes(t *testing.T) {
	doc := loadDescription(t)
	var described, served []string
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+path)
		}
	}
	for _, r := range routes {
		served = append(served, r.method+" "+r.path)
		if op := doc.Paths.Find(r.path).GetOperation(r.method); (op.Security != nil) != r.open {
			t.Errorf("%s %s: open is %v", r.method, r.path, r.open)
		}
	}
	slices.Sort(described)
	slices.Sort(served)
	if !slices.Equal(described, served) {
		t.Errorf("described %v\nserved %v", described, served)
	}
}

// go test ./internal/service -run Grants -update
func TestTheDescriptionHasThePublishedGrants(t *testing.T) {
	file, err := os.ReadFile("../../docs/schema/grants.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var published, doc map[string]any
	text := strings.ReplaceAll(string(file), `"#/$defs/`, `"#/components/schemas/Grants`)
	if err := json.Unmarshal([]byte(text), &published); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"Grants": map[string]any{"type": "object", "additionalProperties": false, "properties": published["properties"]}}
	for name, def := range published["$defs"].(map[string]any) {
		want["Grants"+name] = def
	}
	have := doc["components"].(map[string]any)["schemas"].(map[string]any)
	for name, def := range want {
		if !reflect.DeepEqual(have[name], def) {
			t.Errorf("%s is not as published: run this test with -update", name)
			have[name] = def
		}
	}
	for name := range have {
		if _, ok := want[name]; strings.HasPrefix(name, "Grants") && !ok {
			t.Errorf("%s is not published", name)
			delete(have, name)
		}
	}
	if *update {
		out, err := json.MarshalIndent(doc, "", " ")
		if err == nil {
			err = os.WriteFile("openapi.json", append(out, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryCallOfTheAPIIsAsDescribed(t *testing.T) {
	r := serve(t, everything)
	client, d := describedClient(t, r.client.Transport)
	r.client = client
	r.client.Transport = d
	for _, c := range []struct {
		claim, method, path, body string
		header                    []string
		status                    int
		want                      string // part of the answer
	}{
		{"a run", "POST", "/v1/runs", `{"source": "console.log('hi'); 6 * 7", "requestId": "r1"}`, nil, 200, `"requestId":"r1","status":"ok","value":42`},
		{"everything that a request can have", "POST", "/v1/runs", js(map[string]any{
			"requestId": "r2", "source": "export default (i, a) => [i, a, input.n]", "name": "x.ts", "mode": "module", "args": []any{"b"}, "input": map[string]any{"n": nil},
			"grants": map[string]any{"environment": map[string]string{"MODE": "own"}}, "tools": []any{"ask", map[string]any{"name": "tell", "writes": true}}, "limits": map[string]int{"wallClockMs": 5000},
		}), nil, 200, `"value":[{"n":null},"b",null]`},
		{"a profile", "POST", "/v1/runs", `{"source": "import {environment} from 'realm:capabilities'; export default () => environment('MODE')", "profile": "plain"}`, nil, 200, `"value":"profile"`},
		{"execute", "POST", "/v1/runs", `{"type": "execute", "requestId": "r3", "code": "return 1 + 1", "isolateLimits": {"timeoutMs": 1000}, "bridgeLimits": {"maxDataRequests": 1}, "toolPolicy": {"allowedTools": ["ask"], "readOnly": true}}`, nil, 200, `"value":2`},
		{"a run that fails", "POST", "/v1/runs", `{"source": "console.warn('x'); throw new Error('y', {cause: 1})"}`, nil, 200, `"code":"RUNTIME"`},
		{"events", "POST", "/v1/runs", `{"source": "console.log('hi'); reportStatus('s', 'm'); undefined"}`, []string{"Accept", ndjson}, 200, `"stage":"s"`},
		{"events of a run that fails", "POST", "/v1/runs", `{"source": "await new Promise(() => {})"}`, []string{"Accept", "text/html, application/x-ndjson;q=0.9"}, 200, `"code":"DEADLOCK"`},
		{"a tool that nobody answers", "POST", "/v1/runs", `{"source": "dataProxy.request('ask', {}).catch(e => e.message)", "grants": {}, "tools": ["ask"]}`, nil, 200, "did not ask for events"},
		{"a source that is too long", "POST", "/v1/runs", js(map[string]any{"source": strings.Repeat(" ", 600_000)}), nil, 422, `"code":"VALIDATION"`},
		{"malformed", "POST", "/v1/runs", `{"source": 1}`, nil, 400, `"code":"INVALID"`},
		{"beyond the policy", "POST", "/v1/runs", `{"source": "1", "grants": {"filesystem": {"read": ["/etc"]}}}`, nil, 403, "/etc is beyond the policy, which allows the roots"},
		{"no JSON", "POST", "/v1/runs", `source=1`, []string{"Content-Type", "text/plain"}, 415, "application/json"},
		{"live runs", "GET", "/v1/runs", "", nil, 200, `{"runs":[]}`},
		{"abort of nothing", "DELETE", "/v1/runs/none", "", nil, 404, `you have no live run \"none\"`},
		{"answer to nothing", "POST", "/v1/runs/none/responses", `{"dataRequestId": "d1"}`, nil, 404, "you have no live run"},
		{"doctor", "GET", "/v1/doctor", "", nil, 200, `"name":"seccomp"`},
		{"description", "GET", "/v1/openapi.json", "", nil, 200, `"openapi"`},
		{"health", "GET", "/healthz", "", nil, 200, "ok"},
		{"readiness", "GET", "/readyz", "", nil, 200, "ready"},
		{"figures", "GET", "/metrics", "", nil, 200, `supervisor_runs_total{code="RUNTIME"} 1`},
	} {
		status, text := r.send(c.method, c.path, c.body, c.header...)
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.claim, status, text, c.status, c.want)
		}
	}
	live := r.live(`{"requestId": "l1", "source": "await dataProxy.request('ask', {a: 1})", "grants": {}, "tools": ["ask"]}`)
	asked := live.until("data_request")
	if status, text := r.send("POST", "/v1/runs", `{"requestId": "l1", "source": "1"}`); status != 409 {
		t.Errorf("an id that is live: %d %s", status, text)
	}
	if status, text := r.send("GET", "/v1/runs", ""); status != 200 || !strings.Contains(text, `"requestId":"l1","state":"running"`) {
		t.Errorf("live runs: %d %s", status, text)
	}
	for body, want := range map[string]string{
		`{"dataRequestId": 1, "data": 1}`:                         "dataRequestId is no string",
		`{"data": 1}`:                                             "dataRequestId is missing",
		`{"dataRequestId": "d1"}`:                                 "give either data or error",
		`{"dataRequestId": "d1", "data": 1, "error": {}}`:         "give either data or error",
		`{"dataRequestId": "d1", "error": null}`:                  "give either data or error",
		`{"dataRequestId": "d1", "data": null, "error": 1}`:       "error is no JSON object",
		`{"dataRequestId": "d1", "error": {"message": "\ud83d"}}`: "message holds half of a surrogate pair",
		`{"dataRequestId": "d1", "data": 1, "type": "data"}`:      "type is not data_response",
		`{"dataRequestId": "d1", "data": 1, "requestId": "l2"}`:   "requestId is not that of the path, l1",
	} {
		if status, text := r.send("POST", "/v1/runs/l1/responses", body); status != 400 || !strings.Contains(text, want) {
			t.Errorf("the answer %s: %d %s, want %q", body, status, text, want)
		}
	}
	answer := js(map[string]any{"type": "data_response", "requestId": "l1", "dataRequestId": asked["dataRequestId"], "data": map[string]any{"b": 2}, "error": nil})
	if status, text := r.send("POST", "/v1/runs/l1/responses", answer); status != 204 {
		t.Errorf("an answer: %d %s", status, text)
	}
	if last := live.until("result"); fmt.Sprint(last["payload"]) != "map[b:2]" {
		t.Errorf("the run ended with %v", last)
	}
	endless := r.live(`{"requestId": "l2", "source": "console.log(1); for (;;);"}`)
	endless.until("status")
	if status, text := r.send("DELETE", "/v1/runs/l2", ""); status != 204 {
		t.Errorf("an abort: %d %s", status, text)
	}
	if last := endless.until("error"); last["code"] != "ABORTED" {
		t.Errorf("the aborted run ended with %v", last)
	}
	for _, row := range routes {
		if len(d.seen[row.method+" "+row.path]) == 0 {
			t.Errorf("%s %s was not called", row.method, row.path)
		}
	}
	for path, status := range map[string]int{"/": 404, "/v2/runs": 404, "/v1/runs/a/b": 404, "/v1/runs/": 404, "//v1/runs": 404, "/v1/../v1/runs": 404} {
		r.client = unixClient(r.socket)
		if got, text := r.send("GET", path, ""); got != status || !strings.Contains(text, `"code":"INVALID"`) {
			t.Errorf("GET %s: %d %s", path, got, text)
		}
	}
	if got, text := r.send("PATCH", "/v1/runs", ""); got != 405 || !strings.Contains(text, "POST, GET, HEAD") {
		t.Errorf("PATCH: %d %s", got, text)
	}
	if got, text := r.send("HEAD", "/v1/runs", ""); got != 200 || text != "" {
		t.Errorf("HEAD: %d %s", got, text)
	}
}

// stream is a run whose events are read as they come.
type stream struct {
	t    *testing.T
	res  *http.Response
	in   *bufio.Scanner
	stop context.CancelFunc
}

func (r *running) live(body string) *stream {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r.t.Cleanup(cancel)
	plain := *r
	plain.client = unixClient(r.socket)
	res := plain.open(ctx, "POST", "/v1/runs", body, "Accept", ndjson)
	if res.StatusCode != 200 {
		text, _ := io.ReadAll(res.Body)
		r.t.Fatalf("run %s: %d %s", body, res.StatusCode, text)
	}
	s := &stream{t: r.t, res: res, in: bufio.NewScanner(res.Body), stop: cancel}
	s.in.Buffer(nil, 64<<20)
	return s
}

// until reads events up to one of a type.
func (s *stream) until(kind string) map[string]any {
	s.t.Helper()
	for s.in.Scan() {
		var e map[string]any
		if err := json.Unmarshal(s.in.Bytes(), &e); err != nil {
			s.t.Fatalf("%s: %v", s.in.Bytes(), err)
		}
		if e["type"] == kind {
			return e
		}
		if e["type"] == "result" || e["type"] == "error" {
			s.t.Fatalf("ended with %v before a %s", e, kind)
		}
	}
	s.t.Fatalf("the stream ended before a %s: %v", kind, s.in.Err())
	return nil
}

func TestCurlDoesEveryCall(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Fatal("curl is needed: apt-get install curl")
	}
	r := serve(t, everything)
	live := r.live(`{"requestId": "live", "source": "console.log(1); const a = await dataProxy.request('ask', null); for (;;);", "grants": {}, "tools": ["ask"]}`)
	asked := live.until("data_request")
	for _, c := range []struct{ claim, args, want string }{
		{"run", `/v1/runs --data {"source":"6*7"}`, `"value":42`},
		{"events", `/v1/runs -N -H Accept:application/x-ndjson --data {"source":"6*7"}`, `"payload":42`},
		{"list", `/v1/runs`, `"requestId":"live"`},
		{"answer", `/v1/runs/live/responses -w %{http_code} --data {"dataRequestId":"` + asked["dataRequestId"].(string) + `","data":1}`, "204"},
		{"abort", `/v1/runs/live -w %{http_code} -X DELETE`, "204"},
		{"doctor", `/v1/doctor`, `"ok":true`},
		{"description", `/v1/openapi.json`, `"3.0.3"`},
		{"health", `/healthz`, "ok"},
		{"readiness", `/readyz`, "ready"},
		{"figures", `/metrics`, "supervisor_live_runs 1"},
	} {
		fields := strings.Fields(c.args)
		args := append([]string{"-sS", "--max-time", "20", "--unix-socket", r.socket, "http://service" + fields[0]}, fields[1:]...)
		out, err := exec.CommandContext(t.Context(), curl, args...).CombinedOutput()
		if c.claim == "figures" { // the aborted run may have ended
			c.want = "supervisor_live_runs "
		}
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v %s, want %s", c.claim, err, out, c.want)
		}
	}
	if last := live.until("error"); last["code"] != "ABORTED" {
		t.Errorf("%v", last)
	}
}

func TestPathsOfRunsAreDecodedOnce(t *testing.T) {
	r := serve(t, everything)
	live := r.live(`{"requestId": "a.b~c:d", "source": "console.log(1); for (;;);"}`)
	live.until("status")
	if status, text := r.send("DELETE", "/v1/runs/"+url.PathEscape("a.b~c:d"), ""); status != 204 {
		t.Errorf("%d %s", status, text)
	}
	live.until("error")
}

package network

import "net/http"

// redirectTarget returns where the response sends the request, "" when it is the answer itself.
func redirectTarget(r *http.Response) string {
	switch r.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return r.Header.Get("Location")
	}
	return ""
}

// redirectMethod returns the method of the next hop after the fetch standard, and whether the body goes along.
func redirectMethod(status int, method string) (next string, keepBody bool) {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound:
		if method == http.MethodPost {
			return http.MethodGet, false
		}
	case http.StatusSeeOther:
		if method != http.MethodGet && method != http.MethodHead {
			return http.MethodGet, false
		}
	}
	return method, true
}

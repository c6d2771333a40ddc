package grants

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// The functions of this file say what is wrong with one value, or "".

func validText(s string) string {
	switch {
	case s == "":
		return "is empty"
	case strings.Contains(s, "\x00"):
		return "holds a NUL byte"
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	}
	return ""
}

// validPath wants an absolute path in its only clean spelling.
func validPath(p string) string {
	if problem := validText(p); problem != "" {
		return problem
	}
	switch {
	case len(p) > maxPath:
		return fmt.Sprintf("is longer than %d bytes", maxPath)
	case !path.IsAbs(p):
		return "is not absolute"
	case path.Clean(p) != strings.TrimRight(p, "/") && p != "/":
		return "is not clean (it has a \".\", \"..\" or empty part)"
	}
	return ""
}

// validSpecifier wants what an import can name.
func validSpecifier(specifier string) string {
	first, _, _ := strings.Cut(specifier, "/")
	switch {
	case isPattern(specifier):
		return pattern
	case first == "." || first == "..":
		return "is a relative path, which only files of a package can import"
	}
	return validText(specifier)
}

// isPattern reports whether a name has what would stand for other names, had grants patterns.
func isPattern(name string) bool { return strings.Contains(name, "*") }

const pattern = "holds a \"*\", and grants name each thing by itself"

// validVariable wants what can be the name of an environment variable.
func validVariable(name string) string {
	if problem := validText(name); problem != "" {
		return problem
	}
	switch {
	case isPattern(name):
		return pattern
	case strings.Contains(name, "="):
		return "holds a \"=\""
	case hasControl(name):
		return "holds a control character"
	case len(name) > maxShown:
		return fmt.Sprintf("is longer than %d bytes", maxShown)
	}
	return ""
}

// validTool wants a name that is fit for messages and audit records.
func validTool(name string) string {
	if problem := validText(name); problem != "" {
		return problem
	}
	switch {
	case isPattern(name):
		return pattern
	case hasControl(name) || strings.Contains(name, " "):
		return "holds a space or control character"
	case len(name) > maxShown:
		return fmt.Sprintf("is longer than %d bytes", maxShown)
	}
	return ""
}

// validMethod wants an upper-case token that is not one of the methods no guest should have.
func validMethod(method string) string {
	switch {
	case !token(method) || isPattern(method):
		return "is not a method name"
	case method != strings.ToUpper(method):
		return "is not in upper case"
	case method == "CONNECT" || method == "TRACE" || method == "TRACK":
		return "is never granted: it reaches past the origin"
	case len(method) > 32:
		return "is longer than 32 bytes"
	}
	return ""
}

// validInjectedHeader refuses headers that frame the message or steer the connection.
func validInjectedHeader(name string) string {
	if !token(name) || isPattern(name) {
		return "is not a header name"
	}
	if RestrictedHeader(name) {
		return "is a header that only the supervisor's transport sets"
	}
	return ""
}

// RestrictedHeader reports whether a request header frames the message or steers the connection, so that neither a
// guest nor an injection may set it.
func RestrictedHeader(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "host", "connection", "keep-alive", "transfer-encoding", "content-length", "te", "trailer", "upgrade", "expect", "http2-settings":
		return true
	}
	return strings.HasPrefix(name, "proxy-")
}

// token is RFC 9110's token.
func token(s string) bool {
	for i := range len(s) {
		if c := s[i]; !letter(c) && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != "" && len(s) <= maxShown
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 })
}

// loaderVariable says why a variable may not be set for a command: it would make a trusted program load or run
// something that was not granted.
func loaderVariable(name string) string {
	const load, run, parse = "makes the program loader load other code", "makes the interpreter run other code",
		"makes the C library read other files"
	upper := strings.ToUpper(name)
	switch upper {
	case "GLIBC_TUNABLES", "MALLOC_TRACE", "RES_OPTIONS", "HOSTALIASES", "LOCALDOMAIN", "RESOLV_HOST_CONF":
		return "changes how the C library works"
	case "GCONV_PATH", "GETCONF_DIR":
		return load
	case "LOCPATH", "NLSPATH", "TZDIR":
		return parse
	case "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "ZDOTDIR", "IFS":
		return "makes the shell run other code"
	case "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_REPL_EXTERNAL_MODULE", "ELECTRON_RUN_AS_NODE":
		return run
	case "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "JAVA_OPTIONS":
		return run
	case "AWKPATH", "AWKLIBPATH", "LUA_INIT", "LUA_PATH", "LUA_CPATH", "PHPRC", "PHP_INI_SCAN_DIR", "DOTNET_STARTUP_HOOKS", "COR_PROFILER",
		"CORECLR_PROFILER", "R_PROFILE", "R_ENVIRON", "TCLLIBPATH", "ERL_FLAGS", "ERL_AFLAGS", "DENO_DIR", "BUN_OPTIONS":
		return run
	case "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_EXEC_PATH", "GIT_PAGER", "GIT_EDITOR", "GIT_ASKPASS",
		"SSH_ASKPASS", "PAGER", "EDITOR", "VISUAL", "BROWSER", "LESSOPEN", "LESSCLOSE", "MANPAGER":
		return "makes the program run another command"
	case "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES", "GTK_MODULES", "GIO_EXTRA_MODULES", "QT_PLUGIN_PATH":
		return load
	}
	for _, family := range [...]struct{ prefix, reason string }{
		{"LD_", load}, {"DYLD_", load}, {"MALLOC_", "changes how the C library works"}, {"LUA_INIT_", run},
		{"PYTHON", run}, {"PERL5", run}, {"PERLLIB", run}, {"RUBY", run}, {"GEM_", run}, {"BUNDLE_", run}, {"BASH_FUNC_", "defines a function in the shell"},
		{"GIT_CONFIG", "makes the program run another command"},
	} {
		if strings.HasPrefix(upper, family.prefix) {
			return family.reason
		}
	}
	return ""
}

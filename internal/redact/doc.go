// Package redact replaces secret values in whatever leaves the supervisor: bodies, headers, errors, logs, results.
//
// A secret of at least [MinBytes] bytes is found in these spellings and replaced by "[redacted:NAME]":
//
//   - raw
//   - percent-encoded and form-encoded, any mixture of encoded and plain bytes, either case
//   - in small letters, as names of headers and hosts are made on their way, percent-encoded or not
//   - backslash-escaped, as JSON and most languages print strings (\/, \u0026, \xff, surrogate pairs)
//   - with HTML entities (&amp;, &#38;, &#x26;)
//   - hexadecimal, either case
//   - base64 at any of the three alignments, standard or URL alphabet, padded or not, folded into lines, and
//     with its + and / escaped in one of the ways above
//
// Matches that overlap are replaced as one, so that a secret never survives as the rest of another.
//
// # What escapes
//
// This is a net under a mistake, not a wall. An origin that wants to hand a secret back to the guest can reverse
// it, encrypt it, compress it, spell it in a way that is not listed, or cut it into pieces; none of those are
// found, and neither are values shorter than [MinBytes]. The wall is to grant only origins that are trusted with
// the secret.
//
// # Trust
//
// Secrets come from the host. The text that is searched comes from anyone: origins, guests, commands. Work is
// linear in the text for the patterns of real secrets, and what a [Writer] holds back is bounded by a small
// multiple of the longest secret.
//
// # Concurrency
//
// A [Redactor] is immutable and safe for concurrent use. A [Writer] belongs to one goroutine.
package redact

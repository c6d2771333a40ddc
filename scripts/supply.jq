# Completes the bill of materials of $binary. The detector takes the licence of Go's own modules for a relative of it, and
# knows Go modules only: whatever else is linked stands in the second part of the $reviewed list. $host: versions of what
# builds.
(.components[] | select(.name | startswith("golang.org/x/")) | .evidence.licenses[]?.license | select(.id == "BSD-Source-Code")).id = "BSD-3-Clause"
| .components += [
    $reviewed | split("\n")[]
    | capture("^(?<in>all|realm) (?<name>\\S+) (?<version>\\S+) (?<terms>.+)$")
    | select(.in == "all" or .in == $binary)
    | {type: "library", name, version: ($host[.name] // .version), licenses: [{expression: .terms}]}
  ]

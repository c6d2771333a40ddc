package document

// kind is what a value of a document is.
type kind int

const (
	kindNull kind = iota
	kindBoolean
	kindNumber
	kindText
	kindMapping
	kindList
)

func (k kind) String() string {
	return [...]string{"nothing", "true or false", "a number", "text", "a mapping", "a list"}[k]
}

// node is one value of a document, whichever syntax it was written in.
type node struct {
	kind  kind
	at    position
	text  string  // kindText: the string; kindNumber, kindBoolean: as written
	pairs []pair  // kindMapping
	items []*node // kindList
}

// pair is one entry of a mapping.
type pair struct {
	key   string
	at    position
	value *node
}

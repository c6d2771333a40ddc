package grants

// Override returns r with every limit of over that is not zero.
func (r Resources) Override(over Resources) Resources {
	for _, l := range limitTable {
		if n := l.Value(over); n != 0 {
			*l.field(&r) = n
		}
	}
	return r
}

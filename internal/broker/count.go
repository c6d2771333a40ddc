package broker

import "sync/atomic"

// counters are the figures of a run that executors add to.
type counters struct {
	denied, statusDropped          atomic.Int64
	read, written, network, output atomic.Int64
}

// Stats are the figures of a run.
type Stats struct {
	Operations, Denied               int64
	DataRequests, DataBytes          int64
	BytesRead, BytesWritten          int64
	NetworkBytes, ProcessOutputBytes int64
	StatusDropped                    int64
	LogsTruncated                    bool
}

// Stats reads the figures so far. LogsTruncated is right once Serve has returned.
func (b *Broker) Stats() Stats {
	used, c := b.Budget.Used(), &b.count
	return Stats{
		Operations: used.Operations, Denied: c.denied.Load(),
		DataRequests: used.DataRequests, DataBytes: used.DataBytes,
		BytesRead: c.read.Load(), BytesWritten: c.written.Load(),
		NetworkBytes: c.network.Load(), ProcessOutputBytes: c.output.Load(),
		StatusDropped: c.statusDropped.Load(), LogsTruncated: b.logs.dropped > 0,
	}
}

// Package network executes HTTP requests for a guest.
//
// It accepts only [grants.Fetch] tickets and asks for a new one at every redirect. A name is resolved here, each of
// its addresses is judged, and one of the addresses that passed is dialled: there is no second look-up that could
// answer differently. Nothing is taken from the environment (no proxies), nothing is kept from one response to the
// next request (no cookies), and no connection outlives the run.
//
// # Trust
//
// Headers and bodies of requests come from the guest, everything in a response from an origin; both are hostile.
// Tickets and the values of injected headers come from the supervisor. Errors for the guest never hold an address
// that a name resolved to, and an address that is refused is never dialled, so that neither text nor timing of a
// refusal tells what listens there.
//
// # Concurrency
//
// A [Client] serves the concurrent requests of one run. [Client.Close] may be called while requests are in flight.
package network

package supervisor

// FindRealm returns the path of the realm binary that a Supervisor would use,
// see Config.RealmPath, and an *Error when there is none.
func FindRealm(configured string) (string, error) { return locateRealm(configured) }

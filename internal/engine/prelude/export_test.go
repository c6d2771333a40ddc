package prelude

// PlatformData reads a file of the public platform tests.
var PlatformData = platformData

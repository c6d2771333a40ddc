#ifndef REALM_ROOT_H
#define REALM_ROOT_H

// Where the new root is built: it exists wherever this program can work at all,
// and no granted path lies below it.
#define ROOT_BASE "/proc"

#endif

// Which life this process leads. Constructors run before the Go runtime exists,
// on the only thread there is.
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "spawner.h"

// 101 is the first priority that is not the C library's own: V8's static
// initialisers have not run yet, and in the spawner they never do.
__attribute__((constructor(101))) static void choose_life(int argc, char **argv)
{
	if (argc > 0 && strcmp(argv[0], SPAWNER_NAME) == 0)
		_exit(spawner_main());
	// exec made the process dumpable again: nothing may attach to a realm.
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Loads the shared object argv[1] and ends with it loaded; with a second argument it waits for a
// signal.
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc > 1 && dlopen(argv[1], RTLD_NOW)) {
        if (argc > 2)
            pause();
        return 0;
    }
    fprintf(stderr, "dlopen_one: %s\n", argc > 1 ? dlerror() : "no name given");
    return 111;
}

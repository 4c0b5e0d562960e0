// SPDX-License-Identifier: LGPL-2.1-or-later
// Loads the shared object argv[1] and ends with it loaded.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc > 1 && dlopen(argv[1], RTLD_NOW))
        return 0;
    fprintf(stderr, "dlopen_one: %s\n", argc > 1 ? dlerror() : "no name given");
    return 111;
}

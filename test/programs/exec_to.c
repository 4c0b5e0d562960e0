// SPDX-License-Identifier: LGPL-2.1-or-later
// Becomes the program argv[1] (a path) with the arguments argv[1..], seen by a witness if there is
// one; 127 when that fails.
#include <unistd.h>

#include "test/programs/tell_witness.h"

int main(int argc, char **argv)
{
    tell_witness_now(tell_witness("exec"));
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 127;
}

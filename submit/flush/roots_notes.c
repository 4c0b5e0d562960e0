/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/roots_notes.h"

#include "submit/job/witness_state.h"

/* How long a flush waits for the kernel's witness. */
enum { WITNESS_MS = 2000 };

void roots_notes_free(struct roots_notes *notes)
{
    looks_free(&notes->looks);
    kernel_notes_free(&notes->kernel);
}

int roots_notes_read(int spool, int directory, struct roots_notes *notes)
{
    *notes = (struct roots_notes){.looks = {0}};
    int error = looks_read(directory, &notes->looks);
    if (error != 0)
        return error;
    witness_state_wait(spool, WITNESS_MS);
    error = kernel_notes_read(directory, &notes->kernel);
    if (error != 0)
        roots_notes_free(notes);
    else
        notes->kernel.until_ns = witness_state_heard_until(spool);
    return error;
}

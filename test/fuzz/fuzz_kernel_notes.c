/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A job's file of what the kernel reported: processes are in order, their programs are there, and
 * each is found. No process is counted for two that forked it.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/witness/facts/two_witnesses.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct kernel_notes notes;
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    uint64_t forked = 0, without_program = 0;
    require(kernel_notes_parse(text, size, &notes) == 0);
    for (size_t i = 0; i < notes.count; i++) {
        const struct kernel_noted *noted = &notes.noted[i];
        const struct kernel_note *note = &noted->note;
        forked += noted->forked.count;
        without_program += note->execs == 0;
        require(note->pid > 0 && note->start_ns <= note->end_ns);
        require(noted->forked.signaled <= noted->forked.count);
        require(i == 0 || notes.noted[i - 1].note.pid <= note->pid);
        require(noted->program == NULL || (noted->program >= notes.programs &&
                                           noted->program < notes.programs + notes.program_count &&
                                           strlen(noted->program->build_id) <= 40));
        const struct kernel_noted *found =
            kernel_notes_find(&notes, note->pid, note->start_ns / 10000000, false);
        require(found == NULL || found->note.pid == note->pid);
        require(found != NULL || note->start_ns > UINT64_MAX - 40000000);
    }
    for (size_t i = 0; i < notes.replaced_count; i++) {
        const struct kernel_noted *noted = &notes.replaced[i];
        require(noted->note.pid > 0 && noted->note.start_ns <= noted->note.end_ns);
        require(noted->program == NULL || (noted->program >= notes.programs &&
                                           noted->program < notes.programs + notes.program_count));
        require(noted->objects == NULL ||
                (noted->objects >= notes.sets && noted->objects < notes.sets + notes.set_count));
    }
    require(forked <= without_program);
    const uint64_t most_ns = UINT64_C(1) << 40;
    const struct kernel_account account =
        kernel_account_find(&notes, 0, most_ns, CONF_WITNESS_ENDS);
    require(account.processes == notes.count && account.unheard_ns <= most_ns);
    kernel_notes_free(&notes);
    return 0;
}

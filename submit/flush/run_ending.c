/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/run_ending.h"

#include <limits.h>
#include <string.h>

#include "preload/ledger.h"
#include "submit/facts/file_facts.h"

/* These load no library but what the loader or the system's configuration names, and start programs
 * in children alone. Names up to the version. */
static const char *const systems[] = {
    "ld-",       "ld64.so",    "libc.so",    "libc-2",      "libc.musl",  "libdl.so", "libdl-2",
    "libgcc_s.", "libm.so",    "libm-2",     "libmvec.so",  "libpthread", "librt.so", "librt-2",
    "libstdc++", "linux-vdso", "linux-gate", "libjobtrail", NULL,
};

static bool is_systems(const char *path)
{
    const char *name = basename(path);
    for (size_t i = 0; systems[i] != NULL; i++)
        if (strncmp(name, systems[i], strlen(systems[i])) == 0)
            return true;
    return false;
}

static bool bytes_replace(struct capture_bytes path, uint64_t start_ns)
{
    char text[PATH_MAX];
    if (path.at == NULL || path.cut || path.size >= sizeof text)
        return true;
    memcpy(text, path.at, path.size);
    text[path.size] = '\0';
    if (is_systems(text))
        return false;
    /* It was changed after the start, and may not be the one that ran. */
    const struct file_facts *facts = file_facts_replaces(text);
    return facts == NULL || facts->replaces || facts->changed_ns >= start_ns;
}

/* Whether a program can have replaced itself by another one (execve(2)). Where the successor leaves
 * no trace, as a static program or `env -i`, nobody sees it: then the status of the process may be
 * the successor's (docs/decisions/0064-status-of-a-program.md). False only where executable and
 * objects are all known, are the files of the capture's time, and import no function that replaces
 * the program, loads a library or makes any system call. The system's own C and C++ libraries may
 * import these. Reads files: to be called as the job's user. */
static bool replaceable(const struct capture *capture)
{
    if (capture->cut || capture->object_count == 0)
        return true;
    if (bytes_replace(capture->exec, capture->start_ns))
        return true;
    for (size_t i = 0; i < capture->object_count; i++)
        if (bytes_replace(capture->objects[i].path, capture->start_ns))
            return true;
    return false;
}

static bool always(const struct capture *capture)
{
    (void)capture;
    return true;
}

const struct kernel_noted *run_ending_noted(const struct reading_request *request,
                                            const struct kernel_compared *compared,
                                            const struct capture *capture)
{
    return request->kernel == NULL ? NULL : kernel_witness->find(request, compared, capture);
}

/* When the kernel saw this program replaced; 0: it did not, or may have missed one between. */
static uint64_t replaced_at(const struct kernel_notes *kernel, const struct kernel_noted *noted,
                            const struct capture *capture)
{
    const bool is_signed = capture->end_ns != 0 && capture->end_by != LEDGER_END_REPLACED;
    if (noted == NULL || is_signed || capture->up_ns == 0)
        return 0;
    const struct kernel_noted *replaced =
        kernel_witness->replaced(kernel, &noted->note, capture->up_ns);
    return replaced == NULL ? 0 : replaced->end_real_ns;
}

struct ending run_ending_find(const struct reading_request *request,
                              const struct kernel_noted *noted, const struct capture *capture,
                              uint64_t next_ns, bool reads)
{
    const struct looks *looks = capture->is_stub ? NULL : request->looks;
    const struct ending_evidence evidence = {
        .journal = request->journal,
        .next_ns = next_ns,
        .now_ns = request->now_ns,
        .replaced_ns = replaced_at(request->kernel, noted, capture),
        .look = looks == NULL ? NULL
                              : looks_find(looks, (uint32_t)(capture->offset / LEDGER_PAGE),
                                           capture->start_ns),
        .kernel = noted,
        .is_replaceable = reads ? replaceable : always,
        .is_program = reads && noted != NULL ? kernel_witness->is_program : NULL,
    };
    return ending_find(capture, &evidence);
}

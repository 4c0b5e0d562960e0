/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A ledger's captures and stubs, and what is made of them. The input is a ledger without the empty
 * parts of its pages: the header, then 768 bytes for the start of each page that follows and 256
 * for its end.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf/base/text.h"
#include "preload/ledger.h"
#include "submit/evidence/ledger_read.h"
#include "submit/evidence/succession.h"
#include "submit/facts/ending.h"
#include "test/fuzz/fuzz.h"

enum { CHUNK = 768, TAIL = 256, PAGES_MAX = 64 };

static void use(struct capture_bytes bytes)
{
    size_t length;
    free(text_from_bytes(bytes.at == NULL ? "" : bytes.at, bytes.size, &length));
}

static void use_capture(const struct capture *capture)
{
    use(capture->exec);
    use(capture->cwd);
    use(capture->argv);
    use(capture->env);
    use(capture->watermark);
    use(capture->build_id);
    use(capture->container);
    for (size_t i = 0; i < capture->object_count; i++) {
        use(capture->objects[i].path);
        use(capture->objects[i].build_id);
    }
    for (size_t i = 0; i < capture->routine_library_count; i++) {
        use(capture->routine_libraries[i].path);
        use(capture->routine_libraries[i].build_id);
    }
    for (size_t i = 0; i < capture->routine_count; i++) {
        if (capture->routines[i].library >= capture->routine_library_count)
            abort();
        use(capture->routines[i].name);
    }
    for (size_t i = 0; i < capture->ancestor_count; i++) {
        use(capture->ancestors[i].name);
        use(capture->ancestors[i].path);
        use(capture->ancestors[i].argv);
    }
}

/* As a flush does, but that it has one journal for all. */
static void use_ledger(struct ledger_reader *reader)
{
    static const char text[] = "step time=1.000000000 job=1 uid=1 gid=1 step=0\n"
                               "task time=1.000000000 step=0 task=0 pid=50 ticks=7\n"
                               "exit time=2.000000000 step=0 task=0 pid=50 status=9\n"
                               "end time=3.000000000 step=0\n";
    struct journal journal;
    struct succession succession = {.count = 0};
    struct capture capture;
    if (journal_parse(text, sizeof text - 1, &journal) != 0 ||
        succession_read(reader, &succession) != 0)
        abort();
    for (size_t i = 0; i < succession.count; i++) {
        const struct succession_entry *entry = &succession.entry[i];
        if (succession_capture(reader, entry, &capture) != 1)
            abort();
        use_capture(&capture);
        if (capture.is_stub)
            continue;
        const struct ending_evidence evidence = {
            .journal = &journal, .next_ns = entry->next_ns, .now_ns = 1u << 31};
        const struct ending ending = ending_find(&capture, &evidence);
        if (ending.source == NULL || ending.end_ns < capture.start_ns)
            abort();
    }
    succession_free(&succession);
    journal_free(&journal);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static int fd = -1;
    struct ledger_reader reader;
    size_t head = size < sizeof(struct ledger_header) ? size : sizeof(struct ledger_header);
    if (fd < 0)
        fd = memfd_create("ledger", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, head, 0) != (ssize_t)head)
        abort();
    off_t page = LEDGER_FIRST;
    for (size_t at = head; at < size && page < LEDGER_FIRST + PAGES_MAX * (off_t)LEDGER_PAGE;
         at += CHUNK + TAIL) {
        size_t part = size - at < CHUNK ? size - at : CHUNK;
        size_t tail = size - at - part < TAIL ? size - at - part : TAIL;
        off_t end = page + (off_t)(LEDGER_PAGE - tail);
        if (pwrite(fd, data + at, part, page) != (ssize_t)part ||
            pwrite(fd, data + at + part, tail, end) != (ssize_t)tail)
            abort();
        page += LEDGER_PAGE;
    }
    /* one byte says whether the last page is whole */
    if (size > 0 && data[size - 1] % 2 == 0 && ftruncate(fd, page) != 0)
        abort();
    if (ledger_open(fd, UINT64_C(1) << 30, &reader) == 0) {
        use_ledger(&reader);
        ledger_close(&reader);
    }
    return 0;
}

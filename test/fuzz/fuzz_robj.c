/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * "ENTRIES\0ARCHIVE": an entry file, and an archive or object that anybody may have made. What is
 * prepared of it can be read again, and has the new names.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf/base/io.h"
#include "contrib/routines/robj/prepare.h"
#include "test/fuzz/fuzz.h"

enum { OUTPUT_MAX = 256 << 20 };

static void ignore(void *context, size_t line, const char *name, const char *text)
{
    (void)context;
    require(name != NULL && text != NULL);
    (void)line;
}

/* Reads it, and gives its symbols. Returns whether there was no fault. */
static bool read_whole(char *bytes, size_t size, struct archive *archive,
                       struct archive_symbols *symbols)
{
    const char *fault;
    require(archive_read(bytes, size, "object", archive, &fault) == 0);
    require(archive_symbols_read(archive, symbols) == 0);
    return fault == NULL;
}

static void judge(const struct preparation *preparation)
{
    const struct archive_symbols *symbols = preparation->symbols;
    for (size_t i = 0; i < preparation->archive->count; i++)
        member_refusal(preparation->archive, i);
    for (size_t at = 0, count; at < symbols->count; at += count) {
        require(archive_symbols_find(symbols, symbols->by_name[at]->name, &count) == at);
        require(count > 0);
        entry_refusal(preparation, at, count);
    }
}

static void prepare(const struct preparation *preparation, const struct entries *entries)
{
    static int fd = -1;
    struct prepared prepared;
    struct archive archive;
    struct archive_symbols symbols;
    char *bytes;
    size_t size;
    const struct prepare_order order = {*preparation, entries, true, NULL, "library"};
    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
    if (prepare_write(&order, fd, &prepared) != 0)
        return;
    require(whole_file_read(fd, OUTPUT_MAX, &bytes, &size) == 0);
    bool is_good = read_whole(bytes, size, &archive, &symbols);
    require(is_good || !preparation->archive->is_archive);
    require(archive.count == preparation->archive->count);
    archive_symbols_free(&symbols);
    archive_free(&archive);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    size_t text = strnlen((const char *)data, size);
    if (text == size)
        return 0;
    struct entries entries;
    struct archive archive;
    struct archive_symbols symbols;
    size_t left = size - text - 1;
    char *copy = malloc(left + 1);
    require(copy != NULL);
    memcpy(copy, data + text + 1, left);
    require(entries_read((const char *)data, text, ignore, NULL, &entries) >= 0);
    bool is_good = read_whole(copy, left, &archive, &symbols);
    for (int externals = 0; externals < 2; externals++) {
        const struct preparation preparation = {&archive, &symbols, externals != 0, false};
        judge(&preparation);
        long faults = entries_check(&preparation, &entries, ignore, NULL);
        for (size_t i = 0; i < archive.count; i++)
            faults += member_refusal(&archive, i) != NULL;
        if (is_good && faults == 0)
            prepare(&preparation, &entries);
    }
    archive_symbols_free(&symbols);
    archive_free(&archive);
    entries_free(&entries);
    return 0;
}

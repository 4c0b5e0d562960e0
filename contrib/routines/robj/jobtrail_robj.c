/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-robj(1): the command line.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/command_options.h"
#include "conf/base/io.h"
#include "conf/base/replacement.h"
#include "conf/base/text.h"
#include "contrib/routines/robj/entry_check.h"
#include "contrib/routines/robj/prepare.h"
#include "contrib/routines/robj/trampoline_templates.h"
#include "preload/routines/routine_note.h"

static const char usage[] =
    "Usage: jobtrail-robj -l ARCHIVE\n"
    "       jobtrail-robj -m [-x] [-e ENTRIES] ARCHIVE\n"
    "       jobtrail-robj -c [-a] [-x] -e ENTRIES [ARCHIVE]\n"
    "       jobtrail-robj -w [-a] [-x] [-i NAME] -e ENTRIES -o FILE ARCHIVE\n"
    "       jobtrail-robj -a [-i NAME] -e ENTRIES -o FILE ARCHIVE\n"
    "\n"
    "Prepares an archive of objects, or an object, so that programs which are linked with it can\n"
    "tell in recorded runs which of its routines they call. ARCHIVE itself is never changed.\n"
    "\n"
    "  -l, --list           its entries and externals: MEMBER, KIND, BINDING, NAME, with tabs\n"
    "  -m, --make           an entry file of all routines that can be entries, or of those of "
    "ENTRIES\n"
    "  -c, --check          what is wrong with ENTRIES, by itself and for ARCHIVE\n"
    "  -w, --write          write FILE: definitions of the entries get their new names\n"
    "  -x, --externals      references inside of ARCHIVE get them, too\n"
    "  -a, --trampolines    an object for each entry that has the old name, is noted when it is\n"
    "                       called, and jumps to the new one; without -w these objects alone\n"
    "  -i, --library NAME   the library that is noted (default: the name of ARCHIVE)\n"
    "  -e, --entries FILE   one routine a line, with its new name (default: with .real behind it)\n"
    "  -o, --output FILE    gets its name when it is complete\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0; 1 something cannot be done right, and nothing was written; 2 usage, or a "
    "file\n"
    "cannot be read or written.\n";

enum robj_status { ROBJ_OK = 0, ROBJ_REFUSED = 1, ROBJ_TROUBLE = 2 };

struct robj_options {
    const char *entries, *output, *library;
    bool list, make, check, write, externals, trampolines;
};

#define MEMBER(name) offsetof(struct robj_options, name)

/* clang-format off */
static const struct option_row option_rows[] = {
    {"list", 'l', OPTION_FLAG, MEMBER(list), 0, 0, NULL},
    {"make", 'm', OPTION_FLAG, MEMBER(make), 0, 0, NULL},
    {"check", 'c', OPTION_FLAG, MEMBER(check), 0, 0, NULL},
    {"write", 'w', OPTION_FLAG, MEMBER(write), 0, 0, NULL},
    {"externals", 'x', OPTION_FLAG, MEMBER(externals), 0, 0, NULL},
    {"trampolines", 'a', OPTION_FLAG, MEMBER(trampolines), 0, 0, NULL},
    {"library", 'i', OPTION_TEXT, MEMBER(library), 0, 0, NULL},
    {"entries", 'e', OPTION_TEXT, MEMBER(entries), 0, 0, NULL},
    {"output", 'o', OPTION_TEXT, MEMBER(output), 0, 0, NULL},
    {"help", 'h', OPTION_ANSWER, 0, 0, 0, NULL},
    {"version", 'V', OPTION_ANSWER, 0, 0, 0, NULL},
    {NULL, 0, 0, 0, 0, 0, NULL},
};
/* clang-format on */

static const struct option_program program = {
    .name = "jobtrail-robj",
    .version = JOBTRAIL_VERSION,
    .usage = usage,
    .short_options = "lmcwxai:e:o:hV",
    .rows = option_rows,
};

/* What is read for an order. */
struct robj {
    const struct robj_options *options;
    const char *file; /* NULL: no archive */
    struct archive archive;
    struct archive_symbols symbols;
    struct entries entries;
    long faults;
};

static void complain(const char *file, const char *text)
{
    char name[TERMINAL_WORD_SIZE];
    fprintf(stderr, "jobtrail-robj: %s: %s\n", terminal_word(file, name), text);
}

/* A fault of an entry file, as compilers say where it is. */
static void say_fault(void *context, size_t line, const char *name, const char *text)
{
    const struct robj *robj = context;
    char file[TERMINAL_WORD_SIZE], word[TERMINAL_WORD_SIZE];
    fprintf(robj->options->check ? stdout : stderr, "%s:%zu: %s: %s\n",
            terminal_word(robj->options->entries, file), line, terminal_word(name, word), text);
}

/* What excludes what. */
static const char *options_fault(const struct robj_options *options, bool has_file)
{
    bool writes = options->write || (options->trampolines && !options->check);
    if (options->list + options->make + options->check + writes != 1)
        return "-l, -m, -c and -w (or -a): one of them";
    if (options->list && (options->externals || options->entries != NULL))
        return "-l has no -x and -e";
    if ((options->check || writes) && options->entries == NULL)
        return "-e ENTRIES is lacking; -m makes such a file";
    if (!has_file && !options->check)
        return "the archive is lacking";
    if (writes && options->output == NULL)
        return "-o FILE is lacking: the archive itself is not changed";
    if (!writes && options->output != NULL)
        return "-o goes with -w and -a; other output goes to stdout";
    if (options->library != NULL && !(writes && options->trampolines))
        return "-i goes with -a";
    if (options->library != NULL &&
        (options->library[0] == '\0' || strlen(options->library) > ROUTINE_NOTE_LIBRARY_MAX))
        return "-i takes a name of 1 to 255 bytes";
    if (options->externals && !options->write && writes)
        return "-x goes with -w";
    return NULL;
}

/* What notes call the library. */
static const char *library_of(const struct robj *robj)
{
    const char *library = robj->options->library;
    return library != NULL ? library : basename(robj->file);
}

static enum robj_status read_archive(struct robj *robj)
{
    char *bytes = NULL;
    size_t size = 0;
    const char *fault = NULL;
    int error = whole_file_open_read(robj->file, ARCHIVE_BYTES_MAX, &bytes, &size);
    if (error == 0)
        error = archive_read(bytes, size, basename(robj->file), &robj->archive, &fault);
    if (error == 0 && fault == NULL)
        error = archive_symbols_read(&robj->archive, &robj->symbols);
    if (error == 0 && fault == NULL)
        return ROBJ_OK;
    complain(robj->file, error == -EFBIG    ? "is larger than 2 GiB"
                         : error == -EINVAL ? "is no file"
                         : error != 0       ? strerror(-error)
                                            : fault);
    return error != 0 ? ROBJ_TROUBLE : ROBJ_REFUSED;
}

/* It may be a pipe. */
static enum robj_status read_entries(struct robj *robj)
{
    CLEANUP_FREE char *text = malloc(ENTRY_FILE_BYTES_MAX + 1);
    FILE *from = text == NULL ? NULL : fopen(robj->options->entries, "re");
    size_t size = from == NULL ? 0 : fread(text, 1, ENTRY_FILE_BYTES_MAX + 1, from);
    int error = from == NULL || ferror(from) ? -errno : size > ENTRY_FILE_BYTES_MAX ? -EFBIG : 0;
    if (from != NULL)
        fclose(from);
    long faults = error == 0 ? entries_read(text, size, say_fault, robj, &robj->entries) : error;
    if (faults < 0) {
        complain(robj->options->entries,
                 faults == -EFBIG ? "is larger than 64 MiB" : strerror((int)-faults));
        return ROBJ_TROUBLE;
    }
    robj->faults += faults;
    return ROBJ_OK;
}

/* Why the archive cannot be prepared at all: every such member is named. */
static void check_members(struct robj *robj)
{
    char file[TERMINAL_WORD_SIZE], name[TERMINAL_WORD_SIZE];
    for (size_t i = 0; i < robj->archive.count; i++) {
        const char *refusal = member_refusal(&robj->archive, i);
        if (refusal == NULL)
            continue;
        fprintf(robj->options->check ? stdout : stderr, "%s: %s: %s\n",
                terminal_word(robj->file, file), terminal_word(robj->archive.member[i].name, name),
                refusal);
        robj->faults++;
    }
}

static struct preparation preparation_of(const struct robj *robj)
{
    return (struct preparation){&robj->archive, &robj->symbols, robj->options->externals,
                                robj->options->trampolines || robj->options->make};
}

/* Whether FILE may be put there: it is not the archive, and replaces nothing but a file. */
static const char *output_fault(const struct robj *robj)
{
    struct stat in, out;
    if (lstat(robj->options->output, &out) != 0)
        return NULL;
    if (!S_ISREG(out.st_mode))
        return "is there, and no file";
    if (stat(robj->file, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
        return "is the archive itself, which is not changed";
    return NULL;
}

static int write_output(const struct robj *robj, const struct trampoline *trampoline,
                        struct prepared *prepared)
{
    const struct robj_options *options = robj->options;
    const struct prepare_order order = {
        .preparation = preparation_of(robj),
        .entries = &robj->entries,
        .has_members = options->write,
        .trampoline = trampoline,
        .library = library_of(robj),
    };
    mode_t mask = umask(0);
    umask(mask);
    CLEANUP_CLOSE int fd = replacement_open(AT_FDCWD, options->output);
    if (fd < 0)
        return fd;
    int error = prepare_write(&order, fd, prepared);
    return replacement_end(AT_FDCWD, options->output, fd, 0666 & ~mask, error);
}

static enum robj_status write_prepared(const struct robj *robj)
{
    const struct robj_options *options = robj->options;
    struct trampoline trampoline = {.entry = 0};
    struct prepared prepared;
    char library[TERMINAL_WORD_SIZE];
    const char *fault = output_fault(robj);
    int error = 0;
    if (fault == NULL && options->trampolines && robj->archive.count > 0 &&
        trampoline_find(&robj->archive.member[0].object, &trampoline) != 0) {
        complain(robj->file, "this jobtrail-robj has no trampolines for its machine");
        return ROBJ_REFUSED;
    }
    if (fault == NULL)
        error = write_output(robj, &trampoline, &prepared);
    trampoline_close(&trampoline);
    if (fault != NULL || error != 0) {
        complain(options->output, fault != NULL       ? fault
                                  : error == -EFBIG   ? "would be larger than 4 GiB"
                                  : error == -EAGAIN  ? "is being written by another process"
                                  : error == -ENOEXEC ? "the archive is damaged"
                                                      : strerror(-error));
        return ROBJ_TROUBLE;
    }
    printf("%zu definitions and %zu references renamed, %zu trampolines", prepared.definitions,
           prepared.references, prepared.trampolines);
    if (options->trampolines)
        printf(", noted as %s", terminal_word(library_of(robj), library));
    putchar('\n');
    char word[TERMINAL_WORD_SIZE];
    if (prepared.inside > 0)
        fprintf(stderr,
                "jobtrail-robj: %s: members call %zu of the entries: a program's own routine of "
                "such a name will not be called there any more; -m -x says which these are\n",
                terminal_word(options->output, word), prepared.inside);
    if (prepared.unsatisfied > 0)
        fprintf(stderr,
                "jobtrail-robj: %s: %zu references of its own are to names that it no longer has: "
                "-x renames them, -a adds trampolines\n",
                terminal_word(options->output, word), prepared.unsatisfied);
    return ROBJ_OK;
}

enum { ESCAPED = 4, ESCAPED_LEAST = 8 };

/* Names are printed as they are where they are plain ASCII without backslashes, and escaped as for
 * a terminal elsewhere. */
static int print_name(const char *name)
{
    size_t size = strlen(name), room = ESCAPED * size + ESCAPED_LEAST;
    bool is_plain = true;
    for (const char *at = name; *at != '\0'; at++)
        is_plain &= *at > ' ' && *at < 0x7f && *at != '\\';
    if (is_plain)
        return fputs(name, stdout) < 0 ? -EIO : 0;
    CLEANUP_FREE char *text = malloc(room);
    if (text == NULL)
        return -ENOMEM;
    terminal_text(name, size, text, room);
    return fputs(text, stdout) < 0 ? -EIO : 0;
}

static int list_symbol(const struct preparation *preparation, const struct archive_symbol *symbol)
{
    int error = print_name(preparation->archive->member[symbol->member].name);
    printf("\t%s\t%s\t", symbol_kind_name(symbol->kind), symbol->is_weak ? "weak" : "global");
    return error != 0 ? error : print_name(symbol->name);
}

/* Entries and externals: a line for each symbol, of words with tabs between. */
static int list_symbols(const struct preparation *preparation)
{
    const struct archive_symbols *symbols = preparation->symbols;
    const struct archive *archive = preparation->archive;
    size_t at = 0;
    int error = 0;
    for (size_t i = 0; i < archive->count && error == 0; i++) {
        const char *fault = member_refusal(archive, i);
        if (fault != NULL) {
            error = print_name(archive->member[i].name);
            printf("\trefused\t-\t-\t%s\n", fault);
        }
        for (; at < symbols->count && symbols->item[at].member == i && error == 0; at++) {
            error = list_symbol(preparation, &symbols->item[at]);
            putchar('\n');
        }
    }
    return error;
}

static bool has_routine(const struct archive_symbol *const *of, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (of[i]->kind == SYMBOL_ROUTINE || of[i]->kind == SYMBOL_IFUNC)
            return true;
    return false;
}

static int list_entry(const struct entry *entry, const char *name, const char *fault,
                      bool is_kept_from_programs)
{
    if (fault != NULL)
        fputs("# ", stdout);
    int error = print_name(name);
    if (fault != NULL)
        printf(": %s", fault);
    else if (entry != NULL && error == 0) {
        putchar(' ');
        error = print_name(entry->renamed);
    }
    if (fault == NULL && is_kept_from_programs)
        fputs(" # other members call it: with -x not a program's own in its place", stdout);
    putchar('\n');
    return error;
}

/* An entry file of all routines that can be entries; of those that `entries` names, unless it is
 * NULL. Routines that cannot be are in comments. */
static int list_entries(const struct preparation *preparation, const struct entries *entries)
{
    const struct archive_symbols *symbols = preparation->symbols;
    int error = 0;
    for (size_t at = 0, count; at < symbols->count && error == 0; at += count) {
        const char *name = symbols->by_name[at]->name;
        const struct entry *entry = entries == NULL ? NULL : entries_find(entries, name);
        archive_symbols_find(symbols, name, &count);
        if ((entries != NULL && entry == NULL) || !has_routine(symbols->by_name + at, count))
            continue;
        error = list_entry(entry, name, entry_refusal(preparation, at, count),
                           preparation->renames_references &&
                               archive_symbols_are_used(symbols, at, count));
    }
    return error;
}

static enum robj_status obey(struct robj *robj)
{
    const struct robj_options *options = robj->options;
    const struct preparation preparation = preparation_of(robj);
    int error = 0;
    if (robj->file != NULL && !options->list)
        check_members(robj);
    if (options->list)
        error = list_symbols(&preparation);
    if (options->make && robj->faults == 0)
        error = list_entries(&preparation, options->entries == NULL ? NULL : &robj->entries);
    if (error != 0) {
        complain("stdout", strerror(-error));
        return ROBJ_TROUBLE;
    }
    if (options->list || options->make)
        return robj->faults > 0 ? ROBJ_REFUSED : ROBJ_OK;
    if (robj->file != NULL)
        robj->faults += entries_check(&preparation, &robj->entries, say_fault, robj);
    if (robj->faults > 0)
        return ROBJ_REFUSED;
    return options->check ? ROBJ_OK : write_prepared(robj);
}

static enum robj_status run(struct robj *robj, int files)
{
    const char *fault =
        files > 1 ? "one archive at a time" : options_fault(robj->options, robj->file != NULL);
    if (fault != NULL) {
        fprintf(stderr, "jobtrail-robj: %s\nTry 'jobtrail-robj --help'.\n", fault);
        return ROBJ_TROUBLE;
    }
    enum robj_status status = robj->file == NULL ? ROBJ_OK : read_archive(robj);
    if (status == ROBJ_OK && robj->options->entries != NULL)
        status = read_entries(robj);
    if (status == ROBJ_OK)
        status = obey(robj);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("stdout", strerror(errno));
        status = ROBJ_TROUBLE;
    }
    return status;
}

int main(int argc, char *argv[])
{
    struct robj_options options = {0};
    struct robj robj = {.options = &options};
    setlocale(LC_CTYPE, "");
    enum options_result result = options_read(argc, argv, &program, &options);
    if (result != OPTIONS_READ)
        return result == OPTIONS_ANSWERED ? ROBJ_OK : ROBJ_TROUBLE;
    robj.file = optind < argc ? argv[optind] : NULL;
    enum robj_status status = run(&robj, argc - optind);
    entries_free(&robj.entries);
    archive_symbols_free(&robj.symbols);
    archive_free(&robj.archive);
    return (int)status;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-ld: under the name of a linker it is that linker; under its own it prints watermarks.
 */
#include <errno.h>
#include <gelf.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_segments.h"
#include "conf/base/text.h"
#include "ldwrap/elf_target.h"
#include "ldwrap/wrap.h"
#include "submit/evidence/watermark.h"

/* ---- Watermarks ------------------------------------------------------------------------------ */

/* What who built the program has chosen. A text that has no room is cut. */
static void print_key(void *context, const char *key, const char *value)
{
    static char shown[64 << 10];
    char word[TERMINAL_WORD_SIZE];
    (void)context;
    terminal_text(value, strlen(value), shown, sizeof shown);
    printf("%s = %s\n", terminal_word(key, word), shown);
}

static int from_note(const void *content, size_t size)
{
    return content == NULL ? 0 : watermark_read(content, size, print_key, NULL);
}

/* From sections: objects have no program headers, and XALT's `.xalt` is in none of them. */
static int from_sections(Elf *elf)
{
    GElf_Shdr header;
    Elf_Scn *section = NULL;
    size_t names, size = 0;
    int keys = 0;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return 0;
    while (keys == 0 && (section = elf_nextscn(elf, section)) != NULL) {
        Elf_Data *data = elf_getdata(section, NULL);
        if (data == NULL || gelf_getshdr(section, &header) == NULL)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (header.sh_type == SHT_NOTE)
            keys = from_note(elf_note_in(data, WATERMARK_OWNER, WATERMARK_TYPE, &size), size);
        else if (name != NULL && strcmp(name, ".xalt") == 0)
            keys = watermark_read_strings(data->d_buf, data->d_size, print_key, NULL);
    }
    return keys;
}

/* Returns how many keys there were, or -errno. */
static int print_file(const char *path)
{
    CLEANUP_CLOSE int fd = -1;
    CLEANUP_ELF Elf *elf = elf_file_open(path, ELF_C_READ, &fd);
    if (fd < 0)
        return -errno;
    if (elf_kind(elf) != ELF_K_ELF)
        return -ENOEXEC;
    size_t size = 0;
    CLEANUP_FREE void *note = elf_note_find(fd, WATERMARK_OWNER, WATERMARK_TYPE, &size);
    int keys = from_note(note, size);
    return keys == 0 ? from_sections(elf) : keys;
}

/* Prints the watermark of each file on stdout, ours or XALT's. Returns 0, or 1 where a file has
 * none or cannot be read, with a line on stderr. */
static int watermark_print_files(int count, char *const *paths)
{
    int status = 0;
    for (int i = 0; i < count; i++) {
        char word[TERMINAL_WORD_SIZE];
        const char *path = terminal_word(paths[i], word);
        if (count > 1)
            printf("%s%s:\n", i == 0 ? "" : "\n", path);
        int keys = print_file(paths[i]);
        fflush(stdout);
        if (keys > 0)
            continue;
        status = 1;
        if (keys == -ENOEXEC)
            fprintf(stderr, "jobtrail-ld: %s: no ELF file\n", path);
        else if (keys < 0)
            fprintf(stderr, "jobtrail-ld: %s: %s\n", path, strerror(-keys));
        else
            fprintf(stderr, "jobtrail-ld: %s: no watermark\n", path);
    }
    return status;
}

/* ---- Names and options ----------------------------------------------------------------------- */

enum { STATUS_USAGE = 2 };

static const char usage[] =
    "Usage: jobtrail-ld --show FILE...\n"
    "\n"
    "Prints the watermark of programs and libraries, jobtrail's or XALT's.\n"
    "\n"
    "Under the name of a linker (ld, ld.bfd, ld.gold, ld.lld, ld.mold, ...) it is that linker, and "
    "marks\n"
    "and records what it links: put the directory that has it under these names in front of PATH "
    "and\n"
    "COMPILER_PATH, see jobtrail-ld(1).\n"
    "\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 done; 1 a file has no watermark or cannot be read; 2 usage.\n";

static int refuse(void)
{
    fputs("Try jobtrail-ld --help\n", stderr);
    return STATUS_USAGE;
}

static int own_command(int argc, char **argv)
{
    static const struct option options[] = {
        {"show", no_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    bool has_show = false;
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 's':
            has_show = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        case 'V':
            puts("jobtrail-ld " JOBTRAIL_VERSION);
            return 0;
        default:
            return refuse();
        }
    }
    return has_show && optind < argc ? watermark_print_files(argc - optind, argv + optind)
                                     : refuse();
}

int main(int argc, char **argv)
{
    const char *called = argc == 0 ? "jobtrail-ld" : basename(argv[0]);
    if (strcmp(called, "jobtrail-ld") == 0)
        return own_command(argc, argv);
    return wrap(called, argc, argv);
}

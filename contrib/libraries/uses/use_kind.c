/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/uses/use_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64 };

static const struct {
    const char *word, *log_word;
    const char *const *programs; /* NULL: it is not known by names */
} kinds[USE_KINDS] = {
    [USE_OPEN] = {"open", "LIB_OPENED", NULL},
    [USE_EXEC] = {"exec", "LIB_EXECUTED", NULL},
    [USE_LINK] = {"link", "LIB_LINKED",
                  (const char *const[]){"ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "gold", "mold",
                                        "ld.mold", "wild", "collect2", NULL}},
    /* of gfortran, LLVM, NVIDIA and PGI, Intel, Cray and NAG, and LFortran */
    [USE_COMPILE] = {"compile", "LIB_COMPILED",
                     (const char *const[]){"f951", "flang", "flang-new", "flang1", "fort1",
                                           "pgf901", "fortcom", "xfortcom", "ftnfe", "forcomp",
                                           "lfortran", NULL}},
    [USE_EDIT] = {"edit", "LIB_EDITED",
                  (const char *const[]){"vi", "vim", "vim.basic", "vim.tiny", "nvim", "nano",
                                        "emacs", "ed", "gdb", "lldb", NULL}},
    [USE_COPY] = {"copy", "LIB_COPIED",
                  (const char *const[]){"cp",          "mv",       "install",   "tar",
                                        "bsdtar",      "cpio",     "rsync",     "scp",
                                        "sftp-server", "dpkg",     "dpkg-deb",  "rpm",
                                        "debsums",     "ldconfig", "updatedb",  "updatedb.plocate",
                                        "md5sum",      "sha1sum",  "sha256sum", "aide",
                                        "tripwire",    "clamscan", "clamd",     "bacula-fd",
                                        "bareos-fd",   "dsmc",     "restic",    "borg",
                                        NULL}},
};

const char *use_kind_word(enum use_kind kind)
{
    return kinds[kind].word;
}

const char *use_kind_log_word(enum use_kind kind)
{
    return kinds[kind].log_word;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static enum use_kind kind_of_name(const char *name)
{
    for (int kind = 0; kind < USE_KINDS; kind++)
        if (kinds[kind].programs != NULL && is_one_of(name, kinds[kind].programs))
            return (enum use_kind)kind;
    return USE_OPEN;
}

/* x86_64-linux-gnu-ld.bfd and ld.lld-15 too: what is before a dash is a machine, and a number
 * behind the last one a version. */
enum use_kind use_kind_of(const char *program)
{
    char name[NAME_SIZE];
    const char *slash = strrchr(program, '/'), *at = slash == NULL ? program : slash + 1;
    if (snprintf(name, sizeof name, "%s", at) >= (int)sizeof name)
        return USE_OPEN;
    char *dash = strrchr(name, '-');
    if (dash != NULL && dash[1] != '\0' && dash[1 + strspn(dash + 1, "0123456789.")] == '\0')
        *dash = '\0';
    enum use_kind kind = kind_of_name(name);
    for (at = name; kind == USE_OPEN && (at = strchr(at, '-')) != NULL;)
        kind = kind_of_name(++at);
    return kind;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a library was used, by the name of the program that opened it: whoever runs a program chooses
 * its name.
 */
#ifndef JOBTRAIL_USE_KIND_H
#define JOBTRAIL_USE_KIND_H

enum use_kind {
    USE_OPEN,    /* by the loader for a program that needs it, or by whatever reads it */
    USE_EXEC,    /* as a program, or as the loader of one */
    USE_LINK,    /* by a linker */
    USE_COMPILE, /* by a compiler, such as a module of Fortran */
    USE_EDIT,    /* by an editor or a debugger */
    USE_COPY, /* by what packs, copies, checks or indexes files: nobody needs the library for it */
};
#define USE_KINDS (USE_COPY + 1)

/* As in records: "open", "exec", "link", "compile", "edit", "copy". */
const char *use_kind_word(enum use_kind kind);

/* As in logs: "LIB_OPENED", ... */
const char *use_kind_log_word(enum use_kind kind);

/* That of an executable's path, or of a command's name. */
enum use_kind use_kind_of(const char *program);

#endif

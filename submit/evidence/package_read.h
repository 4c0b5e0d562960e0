/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The packages of a job, as hooks wrote them (contrib/hooks/packages.h). The file is the user's: it
 * is read and never mapped, every line is bounded and checked, and a line that is not valid is
 * counted and skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKAGE_UUID_SIZE = 33, PACKAGES_OF_RUN_MAX = 4096 };

/* Strings are in the packages' own text. */
struct package {
    const char *uuid; /* of the run, 32 lower-case hexadecimal digits */
    const char *program;
    const char *name;    /* "": the line of a hook that works in the run, with its `version` */
    const char *version; /* "": not known */
    const char *path;    /* "": none */
    uint32_t lost;       /* earlier packages that its process could not write */
    bool is_xalts;       /* from a hook for XALT */
};

struct packages {
    struct package *package; /* owned; by run, program and name, each once */
    size_t count;
    size_t bad_lines;
    char *text; /* owned */
};

/* The packages of one run. */
struct package_run {
    const struct package *package; /* `count` of them, the lines of hooks (no name) included */
    size_t count;
    int hooked;    /* a hook worked in it, ours or one for XALT */
    uint64_t lost; /* packages that processes could not write, at least */
};

/* Reads the file open at `fd`, up to PACKAGES_BYTES and one line more; all beyond that counts as
 * one bad line. Returns 0, -ENOMEM, or -errno of the read. packages_free() releases
 * `*packages`, written only on success. */
int packages_read(int fd, struct packages *packages);

/* The same of `size` bytes at `text`, which becomes part of `*packages` and must be malloc'ed, with
 * room for one byte more. Releases it where it fails. */
int packages_parse(char *text, size_t size, struct packages *packages);

void packages_free(struct packages *packages);

/* The packages of the run `uuid`; those beyond PACKAGES_OF_RUN_MAX count as lost. */
struct package_run packages_of_run(const struct packages *packages, const uint8_t uuid[16]);

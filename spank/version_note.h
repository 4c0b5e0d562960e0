/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who makes the files in a directory: versions of jobtrail with different formats (job_formats.h)
 * find each other by this. The file `version` lies in the spool directory of each number, in its
 * outbox and in its directory of sessions. It belongs to root, everybody may read it, and it has
 * these lines, in any order; each path is absolute:
 *
 *     formats NUMBER
 *     conf PATH      the jobtrail.conf that its jobs have
 *     plugin PATH    spank_jobtrail.so; in spools alone
 *     submit PATH    jobtrail-submit
 *
 * Readers skip other lines. Neither the name nor this format ever changes.
 */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/* FORMATS_MAX: the largest number. VERSIONS_MAX: numbers that are looked for beside each other. */
enum { VERSION_FORMATS_MAX = 60000, VERSIONS_MAX = 16, VERSION_NOTE_BYTES = 4 * PATH_MAX };

struct version_note {
    uint32_t formats;
    char conf[PATH_MAX], plugin[PATH_MAX], submit[PATH_MAX]; /* "": not reported */
};

/* Reads the `size` bytes at `text`. Returns 0, or -EINVAL where they are no such file: a number or
 * a path is missing that must be there, is there twice, or is out of its bounds. */
int version_note_parse(const char *text, size_t size, struct version_note *note);

/* Reads the file in `directory`. Returns 0 or -errno; -EPERM where others than root could change it
 * (conf/base/trusted.h). */
int version_note_read(const char *directory, struct version_note *note);

/* Writes the file of this program's formats into `directory`, unless it has this text already.
 * Symbolic links in the paths of the programs are resolved: a link may lead to another version
 * later. `plugin` may be NULL. Returns 0 or -errno. */
int version_note_write(const char *directory, const char *conf, const char *plugin,
                       const char *submit);

/* The numbers N, but for that of this program, of which there is a directory PREFIX.N or, for 1,
 * PREFIX; into `formats`, VERSIONS_MAX at the most. `prefix` is a path: "/run/jobtrail/" for the
 * spools in that directory. Returns how many. */
size_t version_note_others(const char *prefix, uint32_t formats[VERSIONS_MAX]);

/* The path of a number's directory, as above, into `path`. Returns 0 or -ENAMETOOLONG. */
int version_note_path(const char *prefix, uint32_t formats, char path[PATH_MAX]);

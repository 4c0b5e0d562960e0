/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "spank/job_formats.h"

/* In the directory of a version, the file that says which one it is (version_note.h). */
#define VERSION_NOTE "version"

/* In the node's directory, the file that the process watch locks (fcntl(2)) as long as it runs. */
#define SPOOL_WATCH_LOCK "watch.pid"

/* In the directory of a job, an empty file: a step had --jobtrail=no. */
#define SPOOL_OPTED_OUT "opted_out"

/* In the directory of a job, an empty file: sbatch had --jobtrail=no. The batch script reads it. */
#define SPOOL_JOB_OPTED_OUT "job_opted_out"

/* In the directory of a job, an empty file: the job's extern step is over here. Only where Slurm
 * does not call SPANK's prolog (slurm_release.h). Versions of all formats use this name. */
#define SPOOL_EXTERN_ENDED "extern_ended"

/* In the directory of a job, an empty file: when a flush asked Slurm last whether the job is over
 * (submit/flush/flush_job.c). */
#define SPOOL_ASKED "asked"

/* In the directory of a job, an empty file: the job is over. A version makes it in SPANK's epilog,
 * in directories of other formats, whose journals it cannot write to; and the flush, in the
 * directory of a job of which another version's directory says so, or Slurm. Versions of all
 * formats use this name. */
#define SPOOL_OVER "over"

/* In the directory of a job, the part for the files of the job's user (spool_part.h). */
#define SPOOL_USER "user"

/* In the directory of a job, where its part is a file system of its own: a symbolic link whose text
 * is the mount namespace that the part was mounted in, as /proc/self/ns/mnt names it. The start of
 * slurmd makes the same link in the directory of the node before it mounts a file system over that
 * directory. A process that sees the link there is in another mount namespace, or the file system
 * is unmounted. The directory is in memory, so that no link outlives the boot. */
#define SPOOL_MOUNTED "mounted"

/* Beside the jobs' directories, room for journals (spank/spool_make.h). */
#define SPOOL_RESERVE_NAME ".reserve"

/* The names of directories begin with this that are not complete yet, and of those that are to be
 * removed and cannot be while something is mounted in them. */
#define SPOOL_NEW ".new."

/* A symbolic link, and the number of a job that was requeued: its text is UID.RESTART, of the run
 * that may begin here without a prolog (spank_jobtrail.c). The flush removes it after minutes. */
#define SPOOL_AGAIN SPOOL_NEW "again."

/* Follows the name of a directory that an earlier job of the same id has left; a number from 1 to
 * SPOOL_LEFT_MAX follows. */
#define SPOOL_LEFT     ".left"
#define SPOOL_LEFT_MAX 8u

/* The spool directory of a node for jobs of the number `formats` (job_formats.h): `pattern`, as
 * [spool] dir has it, with %n replaced by `node`, and for other numbers than 1 a directory in that.
 * Written to `size` bytes at `path`. Returns 0 or -ENAMETOOLONG. */
static inline int spool_expand_formats(const char *pattern, const char *node, uint32_t formats,
                                       char *path, size_t size)
{
    char below[16] = "";
    const char *mark = strstr(pattern, "%n");
    if (formats != 1)
        snprintf(below, sizeof below, "/.%u", (unsigned)formats);
    int length = mark == NULL ? snprintf(path, size, "%s%s", pattern, below)
                              : snprintf(path, size, "%.*s%s%s%s", (int)(mark - pattern), pattern,
                                         node, mark + 2, below);
    return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

/* That of this program's number. */
static inline int spool_expand(const char *pattern, const char *node, char *path, size_t size)
{
    return spool_expand_formats(pattern, node, JOB_FORMATS, path, size);
}

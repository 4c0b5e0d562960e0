/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What /proc tells about this process and others (proc(5)).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/image.h"

struct proc_stat {
    int32_t pid;
    int32_t ppid;
    uint64_t start_ticks; /* since boot */
    char name[64];        /* the command's, at the most 15 bytes for a program */
};

/* Reads /proc/PID/stat; pid 0 stands for the calling process. Returns 1; 0: it cannot be read. */
int proc_stat(int32_t pid, struct proc_stat *stat);

/* As image_find(). musl passes no arguments to constructors: there the address of the stack is read
 * from /proc. */
bool proc_find_image(int argc, char **argv, char **envp, struct image *image);

/* "/proc/PID/NAME" into `path`, where `name` is "/NAME" or "" and pid 0 stands for "self". */
enum { PROC_PATH_ROOM = 64 };
void proc_path(int32_t pid, const char *name, char path[PROC_PATH_ROOM]);

/* Reads up to `size` bytes of that file. Returns how many there are; 0 where it cannot be read. */
size_t proc_read(int32_t pid, const char *name, char *to, size_t size);

/* Writes the path of the file that `path` leads to, as the kernel has it, into `real`, which may be
 * the same place. Returns its length; 0: there is no such file, its path does not fit, or it cannot
 * be reached from the root. */
size_t proc_real_path(const char *path, char *real, size_t room);

/* Reads "pid:[INODE]", the pid namespace of this process, into `text`. Returns its length; 0 where
 * it cannot be read. */
size_t proc_namespace(char *text, size_t room);

/* The inode in those `length` bytes; 0 where there is none. */
uint64_t proc_namespace_inode(const char *text, size_t length);

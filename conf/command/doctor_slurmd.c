/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether slurmd of this node has loaded the plugin: it reads plugstack.conf when it starts.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/listing.h"
#include "conf/command/doctor_slurm.h"

enum { LINE_MAX_BYTES = 8192 };

/* The value of the option `letter` in the words of a command line, NULL: none. As getopt(3) has it:
 * "-N", "n1" or "-Nn1". */
static const char *option_of(const char *words, ssize_t size, char letter)
{
    for (const char *word = words; word < words + size; word += strlen(word) + 1) {
        if (word[0] != '-' || word[1] != letter)
            continue;
        const char *next = word + strlen(word) + 1;
        return word[2] != '\0' ? word + 2 : next < words + size ? next : NULL;
    }
    return NULL;
}

/* The value of a variable in the environment of a process. */
static const char *variable_of(const char *words, ssize_t size, const char *name)
{
    size_t length = strlen(name);
    for (const char *word = words; word < words + size; word += strlen(word) + 1)
        if (strncmp(word, name, length) == 0 && word[length] == '=')
            return word + length + 1;
    return NULL;
}

/* Whether the process in the directory `pid` of /proc is slurmd of this node and this cluster.
 * Several slurmd may run on a machine, as in tests. */
static bool is_our_slurmd(const struct doctor *doctor, int pid)
{
    char name[64], line[LINE_MAX_BYTES], environment[64 << 10];
    if (io_read_text(pid, "comm", name, sizeof name) <= 0 || strcmp(name, "slurmd\n") != 0)
        return false;
    ssize_t size = io_read_text(pid, "cmdline", line, sizeof line);
    ssize_t more = io_read_text(pid, "environ", environment, sizeof environment);
    if (size <= 0 || more < 0)
        return false;
    const char *node = option_of(line, size, 'N'), *conf = option_of(line, size, 'f');
    const char *own = getenv("SLURM_CONF");
    if (conf == NULL)
        conf = variable_of(environment, more, "SLURM_CONF");
    if (node != NULL && strcmp(node, doctor->node) != 0)
        return false;
    return conf == NULL || own == NULL || own[0] == '\0' || strcmp(conf, own) == 0;
}

/* An older file of the same name, which an upgrade has replaced, serves as well. */
static bool has_plugin(int pid)
{
    CLEANUP_FREE char *text = NULL;
    size_t room = 0;
    bool is_found = false;
    int fd = openat(pid, "maps", O_RDONLY | O_CLOEXEC);
    CLEANUP_FCLOSE FILE *file = fd < 0 ? NULL : fdopen(fd, "re");
    while (file != NULL && !is_found && getline(&text, &room, file) > 0)
        is_found = strstr(text, "/spank_jobtrail.so") != NULL;
    return is_found;
}

void doctor_slurmd(struct doctor *doctor)
{
    static const char restart[] = "restart slurmd (from Slurm 23.11 on: scontrol reconfigure); "
                                  "running jobs go on";
    unsigned with = 0, without = 0;
    char last[64] = "";
    CLEANUP_LISTING DIR *listing = NULL;
    if (geteuid() != 0)
        return; /* nobody else may look */
    listing_open(AT_FDCWD, "/proc", &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        if (name[strspn(name, "0123456789")] != '\0')
            continue;
        CLEANUP_CLOSE int pid = openat(dirfd(listing), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (pid < 0 || !is_our_slurmd(doctor, pid))
            continue;
        bool has = has_plugin(pid);
        with += has;
        without += !has;
        snprintf(last, sizeof last, "process %.32s", name);
    }
    if (with > 0)
        doctor_add(doctor, FINDING_OK, "slurmd", last, "", "has loaded the plugin");
    else if (without > 0)
        doctor_add(doctor, FINDING_BAD, "slurmd", last, restart,
                   "has not loaded the plugin: it started before the line was in plugstack.conf. "
                   "Steps load the plugin, and no epilog flushes their jobs");
    else
        doctor_add(doctor, FINDING_WARN, "slurmd", doctor->node, "start slurmd",
                   "no slurmd of this node is seen here");
}

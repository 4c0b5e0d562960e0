/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin's file: for which releases of Slurm it is, and whether slurmd of this node has loaded
 * it. slurmd reads plugstack.conf when it starts.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/command/doctor_slurm.h"

enum { PLUGIN_RELEASES_MAX = 16 };

/* ---- Releases of Slurm ----------------------------------------------------------------------- */

/* The releases of Slurm in which a plugin works. */
struct plugin_releases {
    size_t count;
    uint32_t numbers[PLUGIN_RELEASES_MAX]; /* major << 16 | minor << 8 */
    uint32_t untested; /* that one of them which is the headers' alone; 0: none, or not known */
};

/* Finds the symbol of this name in a table of dynamic symbols. Returns whether there is one. */
static bool find_symbol(Elf *elf, Elf_Scn *table, const char *name, GElf_Sym *symbol)
{
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(table, NULL);
    if (gelf_getshdr(table, &header) == NULL || header.sh_entsize == 0 || data == NULL)
        return false;
    for (size_t i = 0; i < header.sh_size / header.sh_entsize && i <= INT32_MAX; i++) {
        const char *text = gelf_getsym(data, (int)i, symbol) == NULL
                               ? NULL
                               : elf_strptr(elf, header.sh_link, symbol->st_name);
        if (text != NULL && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* Returns how many numbers of the object are there, and have room: those that are in `numbers`. */
static size_t read_numbers(Elf *elf, const GElf_Sym *symbol, uint32_t *numbers, size_t room)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    Elf_Data *data = section == NULL ? NULL : elf_getdata(section, NULL);
    uint64_t size = symbol->st_size;
    if (data == NULL || data->d_buf == NULL || gelf_getshdr(section, &header) == NULL ||
        symbol->st_value < header.sh_addr)
        return 0;
    uint64_t at = symbol->st_value - header.sh_addr;
    if (size > room * sizeof numbers[0])
        size = room * sizeof numbers[0];
    if (at > data->d_size || size > data->d_size - at)
        return 0;
    memcpy(numbers, (const char *)data->d_buf + at, size);
    return size / sizeof numbers[0];
}

static void read_table(Elf *elf, Elf_Scn *table, struct plugin_releases *releases)
{
    GElf_Sym symbol;
    if (find_symbol(elf, table, "jobtrail_slurm_releases", &symbol))
        releases->count = read_numbers(elf, &symbol, releases->numbers, PLUGIN_RELEASES_MAX);
    if (find_symbol(elf, table, "jobtrail_slurm_untested", &symbol))
        read_numbers(elf, &symbol, &releases->untested, 1);
}

/* Reads them from the plugin `path`, from its symbols jobtrail_slurm_releases and
 * jobtrail_slurm_untested (spank/slurm_release.c). The file is read and not loaded: loading would
 * run its code, and needs Slurm's symbols. Returns 0 or -errno; -ENOEXEC: the file has not the
 * first one. */
static int read_releases(const char *path, struct plugin_releases *releases)
{
    GElf_Shdr header;
    struct plugin_releases found = {.count = 0};
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    while (elf != NULL && found.count == 0 && (section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_DYNSYM)
            read_table(elf, section, &found);
    }
    if (elf != NULL)
        elf_end(elf);
    if (found.count == 0)
        return -ENOEXEC;
    *releases = found;
    return 0;
}

/* The release of the Slurm that is installed, as in struct plugin_releases: "slurm 23.11.4",
 * "slurm-wlm 22.05.8". 0: none. */
static uint32_t installed_release(void)
{
    char line[256] = "";
    unsigned major, minor;
    FILE *pipe =
        popen("PATH=$PATH:/usr/sbin:/usr/local/sbin; { slurmd -V || srun -V; } 2>&-", "re");
    if (pipe == NULL)
        return 0;
    if (fgets(line, sizeof line, pipe) == NULL)
        line[0] = '\0';
    pclose(pipe);
    const char *digits = line + strcspn(line, " ");
    return sscanf(digits, " %u.%u", &major, &minor) == 2 ? major << 16 | minor << 8 : 0;
}

/* "22.05, 24.11". Returns whether `slurm` is one of them. */
static bool list_releases(const struct plugin_releases *releases, uint32_t slurm, char *text,
                          size_t size)
{
    size_t length = 0;
    bool has_slurm = false;
    text[0] = '\0';
    for (size_t i = 0; i < releases->count && length < size; i++) {
        uint32_t number = releases->numbers[i];
        length += (size_t)snprintf(text + length, size - length, "%s%u.%02u", i == 0 ? "" : ", ",
                                   number >> 16, number >> 8 & 255);
        has_slurm = has_slurm || number == slurm;
    }
    return has_slurm;
}

static void check_release(struct doctor *doctor, const char *path)
{
    char known[16 * PLUGIN_RELEASES_MAX];
    struct plugin_releases releases = {.count = 0};
    int error = read_releases(path, &releases);
    uint32_t slurm = installed_release();
    bool is_known = list_releases(&releases, slurm, known, sizeof known);
    if (error != 0)
        doctor_add(doctor, FINDING_BAD, "release", path, "install the plugin again",
                   "does not say for which Slurm it is: %s",
                   error == -ENOEXEC ? "no plugin of jobtrail's" : strerror(-error));
    else if (slurm == 0)
        doctor_add(doctor, FINDING_WARN, "release", path,
                   "put slurmd or srun into PATH to have the releases compared",
                   "for Slurm %s; no Slurm found", known);
    else if (!is_known)
        doctor_add(doctor, FINDING_BAD, "release", path,
                   "install a jobtrail that knows this Slurm, or build one with its headers",
                   "for Slurm %s, and this is %u.%02u: the plugin is inactive in it", known,
                   slurm >> 16, slurm >> 8 & 255);
    else if (slurm == releases.untested)
        doctor_add(
            doctor, FINDING_WARN, "release", path,
            "look at some jobs' records, and install a jobtrail that was tested with it when "
            "there is one",
            "for Slurm %s; this is %u.%02u, which the tests of this jobtrail have not run: it was "
            "built with its headers",
            known, slurm >> 16, slurm >> 8 & 255);
    else
        doctor_add(doctor, FINDING_OK, "release", path, "", "for Slurm %s; this is %u.%02u", known,
                   slurm >> 16, slurm >> 8 & 255);
}

/* ---- slurmd ---------------------------------------------------------------------------------- */

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

static void check_slurmd(struct doctor *doctor)
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

void doctor_plugin(struct doctor *doctor, const char *path)
{
    check_release(doctor, path);
    if (doctor->roles & ROLE_NODE)
        check_slurmd(doctor);
}

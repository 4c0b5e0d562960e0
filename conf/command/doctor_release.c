/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For which releases of Slurm the plugin's file is.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/command/doctor.h"
#include "conf/command/doctor_checks.h"

enum { PLUGIN_RELEASES_MAX = 16 };

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

void doctor_release(struct doctor *doctor, const char *path)
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
            "for Slurm %s; this is %u.%02u, whose headers this jobtrail was built with, but which "
            "it was not tested with",
            known, slurm >> 16, slurm >> 8 & 255);
    else
        doctor_add(doctor, FINDING_OK, "release", path, "", "for Slurm %s; this is %u.%02u", known,
                   slurm >> 16, slurm >> 8 & 255);
}

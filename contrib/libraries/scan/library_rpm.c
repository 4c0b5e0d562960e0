/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packages of rpm(8). The database has several forms, and rpm knows them all: so it is asked, as
 * nobody, for a limited time, and within bounds of what it prints.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/program_run.h"
#include "contrib/libraries/scan/library_rpm.h"

enum { RPM_MS = 120000, RPM_BYTES_MAX = 512 << 20 };

/* A line with the name and the version of a package, and one for each of its files. */
#define FORMAT "%{NAME} %|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\\n[%{FILENAMES}\\n]"

/* ---- What rpm prints ------------------------------------------------------------------------- */

static int take_package(struct library_packages *packages, const char *line)
{
    size_t length = strcspn(line, " ");
    int error = library_package_add(packages, line, length);
    if (error != 0 || line[length] == '\0')
        return error;
    struct library_package *package = &packages->package[packages->packages - 1];
    package->version = strdup(line + length + 1);
    return package->version == NULL ? -ENOMEM : 0;
}

static int take_line(struct library_rpm *rpm)
{
    rpm->line[rpm->size] = '\0';
    bool is_whole = !rpm->is_cut && strlen(rpm->line) == rpm->size && rpm->size > 0;
    rpm->size = 0;
    rpm->is_cut = false;
    if (!is_whole)
        return 0;
    return rpm->line[0] == '/' ? library_package_add_file(rpm->packages, rpm->patterns, rpm->line)
                               : take_package(rpm->packages, rpm->line);
}

int library_rpm_take(void *context, const char *bytes, size_t size)
{
    struct library_rpm *rpm = context;
    int error = 0;
    rpm->bytes += size;
    if (rpm->bytes > RPM_BYTES_MAX)
        return -EFBIG;
    for (size_t i = 0; i < size && error == 0; i++) {
        if (bytes[i] == '\n')
            error = take_line(rpm);
        else if (rpm->size + 1 < sizeof rpm->line)
            rpm->line[rpm->size++] = bytes[i];
        else
            rpm->is_cut = true;
    }
    return error;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* Finds where the database is, if there is one, and not only its empty directory. */
static bool find_database(const struct library_packages *packages, char path[PATH_MAX])
{
    static const char *const places[] = {"var/lib/rpm", "usr/lib/sysimage/rpm"};
    static const char *const names[] = {"rpmdb.sqlite", "Packages.db", "Packages"};
    char file[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            snprintf(path, PATH_MAX, "%s/%s", packages->root, places[i]);
            int length = snprintf(file, sizeof file, "%s/%s", path, names[k]);
            if (length > 0 && (size_t)length < sizeof file && access(file, F_OK) == 0)
                return true;
        }
    return false;
}

static int ask(struct library_rpm *rpm, const char *path, struct program_result *result)
{
    static char *const environment[] = {(char *)(uintptr_t) "PATH=/usr/bin:/bin:/usr/sbin:/sbin",
                                        (char *)(uintptr_t) "LC_ALL=C",
                                        (char *)(uintptr_t) "HOME=/nonexistent", NULL};
    const char *const argv[] = {"setpriv",
                                "--reuid=65534",
                                "--regid=65534",
                                "--clear-groups",
                                "--no-new-privs",
                                "prlimit",
                                "--core=0",
                                "--cpu=120",
                                "--as=2147483648",
                                "--nofile=256",
                                "rpm",
                                "--dbpath",
                                path,
                                "-qa",
                                "--nodigest",
                                "--nosignature",
                                "--qf",
                                FORMAT,
                                NULL};
    size_t skipped = geteuid() == 0 ? 0 : 5; /* who is not root has nothing to give up */
    return program_run_taking(argv + skipped, environment, RPM_MS, library_rpm_take, rpm, result);
}

int library_rpm_read(struct library_packages *packages, const struct globs *patterns)
{
    char path[PATH_MAX];
    if (!find_database(packages, path))
        return 0;
    struct library_rpm *rpm = calloc(1, sizeof *rpm);
    if (rpm == NULL)
        return -ENOMEM;
    rpm->packages = packages;
    rpm->patterns = patterns;
    CLEANUP_PROGRAM struct program_result result = {.text = NULL};
    int error = ask(rpm, path, &result);
    bool is_failed = error == 0 && (!WIFEXITED(result.status) || WEXITSTATUS(result.status) != 0);
    if (error != 0 || is_failed)
        snprintf(packages->trouble, sizeof packages->trouble, "rpm does not list all of them: %s",
                 error != 0                    ? strerror(-error)
                 : result.complaint[0] != '\0' ? result.complaint
                                               : "it has failed");
    free(rpm);
    return error == -ENOMEM ? error : 0;
}

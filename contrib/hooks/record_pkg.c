/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * jobtrail-record-pkg: what a site's hooks for XALT call as $XALT_DIR/libexec/xalt_record_pkg.
 * Writes one line into the file of packages (packages.h), for the run of the interpreter that has
 * called it.
 *
 * It is called by users' programs. It prints nothing, and its exit status is 0, whatever is wrong.
 */
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "contrib/hooks/packages.h"
#include "contrib/hooks/parent_run.h"

/* What xalt_record_pkg of XALT 3.2.4 takes: pairs of a key and a value. */
struct arguments {
    const char *program, *name, *version, *path;
};

static bool is_text(const char *text, size_t max)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        if (iscntrl((unsigned char)text[i]))
            return false;
    }
    return length <= max;
}

/* "-u UUID" is the run as XALT knows it. Keys that are not used here, such as xalt_run_uuid, are
 * skipped. Of a key that is given twice, the last one counts, as with XALT. */
static bool read_arguments(int argc, char **argv, struct arguments *arguments)
{
    *arguments = (struct arguments){NULL, NULL, "", ""};
    const struct {
        const char *key, **value;
        size_t max;
    } keys[] = {{"program", &arguments->program, PACKAGES_PROGRAM},
                {"package_name", &arguments->name, PACKAGES_NAME_BYTES},
                {"package_version", &arguments->version, PACKAGES_VERSION},
                {"package_path", &arguments->path, PACKAGES_LINE}};
    opterr = 0;
    while (getopt(argc, argv, "u:") != -1)
        ;
    if ((argc - optind) % 2 != 0)
        return false;
    for (int i = optind; i < argc; i += 2) {
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            if (strcmp(argv[i], keys[k].key) == 0 && is_text(argv[i + 1], keys[k].max))
                *keys[k].value = argv[i + 1];
        }
    }
    return arguments->program != NULL && arguments->program[0] != '\0' && arguments->name != NULL &&
           arguments->name[0] != '\0';
}

static void write_line(const char *spool, const char *uuid, const struct arguments *arguments)
{
    char path[PATH_MAX], line[PACKAGES_LINE + 1];
    struct stat status;
    int size = snprintf(line, sizeof line, "xalt\t%s\t%s\t0\t%s\t%s\t%s\n", uuid,
                        arguments->program, arguments->name, arguments->version, arguments->path);
    if (size >= (int)sizeof line ||
        snprintf(path, sizeof path, "%s/" PACKAGES_NAME, spool) >= (int)sizeof path)
        return;
    CLEANUP_CLOSE int fd =
        open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size >= PACKAGES_BYTES)
        return;
    signal(SIGXFSZ, SIG_IGN); /* beyond a limit on the size of files the write fails */
    (void)!write(fd, line, (size_t)size);
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    char uuid[PARENT_RUN_UUID];
    const char *spool = getenv("JOBTRAIL_SPOOL");
    if (spool != NULL && spool[0] == '/' && read_arguments(argc, argv, &arguments) &&
        parent_run_find(spool, uuid))
        write_line(spool, uuid, &arguments);
    return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What [routines] says about one library: by its soname, its path, and the module that its path is
 * of. What it says about an archive: by its name, as jobtrail-ld asks.
 */
#include "conf/command/explain.h"

#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/elf_soname.h"
#include "conf/routine_modules.h"

enum { SONAME_SIZE = 256 };

#define THIN_MAGIC "!<thin>\n"

static int explain_kind(const struct explain *explain, const char *kind, const char *name,
                        struct json_object *all)
{
    CLEANUP_FREE char *text = NULL;
    if (asprintf(&text, "%s%s", kind, name) < 0) {
        text = NULL;
        return -ENOMEM;
    }
    const struct explain_verdict verdict = explain_text(explain, conf_list_find("routines"), text);
    if (all == NULL)
        explain_print(explain, &verdict);
    else
        json_object_array_add(all, explain_json(explain, &verdict));
    return 0;
}

/* Also a thin one, of which jobtrail-ld asks the same before it counts it as missed. */
static bool is_archive(int fd)
{
    char magic[SARMAG];
    return pread(fd, magic, sizeof magic, 0) == SARMAG &&
           (memcmp(magic, ARMAG, SARMAG) == 0 || memcmp(magic, THIN_MAGIC, SARMAG) == 0);
}

int explain_routines(const struct explain *explain, const char *path, struct json_object *all)
{
    char soname[SONAME_SIZE];
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (is_archive(fd))
        return explain_kind(explain, "archive:", basename(path), all);
    elf_soname(fd, soname, sizeof soname);
    if (soname[0] == '\0')
        snprintf(soname, sizeof soname, "%s", basename(path));
    int error = explain_kind(explain, "soname:", soname, all);
    if (error == 0)
        error = explain_kind(explain, "path:", path, all);
    if (error == 0 && routine_modules_rule(explain->conf) != NULL)
        error = explain_kind(explain, ROUTINE_DIRECTORY, path, all);
    return error;
}

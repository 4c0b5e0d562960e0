/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/transport.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void transport_make_printable(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
            *text = '?';
}

/* Modules lie where we were installed, wherever that is now. */
static int module_path(const char *name, char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return 0;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (slash == NULL)
        return 0;
    *slash = '\0';
    int written =
        snprintf(path, size, "%s/" JOBTRAIL_MODULES_FROM_BIN "/transport_%s.so", self, name);
    return written > 0 && (size_t)written < size;
}

static const struct transport *load_module(const char *name, struct transport_trouble *trouble)
{
    char path[PATH_MAX];
    if (!module_path(name, path, sizeof path)) {
        snprintf(trouble->text, sizeof trouble->text, "the module of %s is not found", name);
        return NULL;
    }
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct transport *found = module == NULL ? NULL : dlsym(module, TRANSPORT_MODULE_SYMBOL);
    if (found == NULL)
        snprintf(trouble->text, sizeof trouble->text, "%s", dlerror());
    return found;
}

const struct transport *transport_find(const char *name, struct transport_trouble *trouble)
{
    if (strcmp(name, "file") == 0)
        return &transport_file;
    if (strcmp(name, "syslog") == 0)
        return &transport_syslog;
    return load_module(name, trouble);
}

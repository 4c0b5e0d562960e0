/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/transport.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/program_run.h"

/* Modules lie where we were installed, wherever that is now. */
static const struct transport *load_module(const char *name, struct transport_trouble *trouble)
{
    char path[PATH_MAX], from_program[256];
    snprintf(from_program, sizeof from_program, JOBTRAIL_MODULES_FROM_BIN "/transport_%s.so", name);
    if (!program_place(from_program, path, sizeof path)) {
        snprintf(trouble->text, sizeof trouble->text, "the module of %s is not found", name);
        return NULL;
    }
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct transport *found = module == NULL ? NULL : dlsym(module, TRANSPORT_MODULE_SYMBOL);
    if (found == NULL)
        snprintf(trouble->text, sizeof trouble->text, "%s", dlerror());
    return found;
}

/* Those that are no modules. */
static const struct transport *const built_in[] = {&transport_file, &transport_syslog};

const struct transport *transport_find(const char *name, struct transport_trouble *trouble)
{
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (strcmp(built_in[i]->name, name) == 0)
            return built_in[i];
    return load_module(name, trouble);
}

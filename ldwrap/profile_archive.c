/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/profile_archive.h"

#include <stddef.h>
#include <string.h>

#include "conf/conf.h"
#include "ldwrap/startup.h"

static bool is_one_of(const char *text, const char *const *words)
{
    while (*words != NULL && strcmp(text, *words) != 0)
        words++;
    return *words != NULL;
}

int profile_archive_place(const struct link_line *line, uint32_t site,
                          const struct strings *arguments)
{
    const int argc = (int)arguments->count;
    char *const *argv = arguments->item;
    static const char *const ends[] = {"-lgcc", "-lgcc_s", "-lgcc_eh", "-lc", NULL};
    static const char *const openers[] = {"--start-group", "-(",         "--push-state",
                                          "--as-needed",   "-as-needed", NULL};
    int place = 1;
    if (site == CONF_PROFILE_NONE || line->is_shared || !startup_has_crt(line))
        return 0;
    while (place < argc && !is_one_of(argv[place], ends))
        place++;
    if (place == argc)
        return 0;
    while (place > 1 && is_one_of(argv[place - 1], openers))
        place--;
    return place;
}

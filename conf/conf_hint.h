/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an administrator may have meant by a section or key that jobtrail.conf does not know.
 */
#ifndef JOBTRAIL_CONF_HINT_H
#define JOBTRAIL_CONF_HINT_H

#include <stdbool.h>
#include <stddef.h>

bool conf_has_section(const char *section);

/* Writes a hint for the unknown section `name` into `size` bytes at `text`. */
void conf_hint_section(const char *name, char *text, size_t size);

/* The same for the unknown key `name` in `section`, which is known or "". */
void conf_hint_key(const char *section, const char *name, char *text, size_t size);

#endif

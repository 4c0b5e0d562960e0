/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_CONF_COMPILED_H
#define JOBTRAIL_CONF_COMPILED_H

/* The policy that the text of a jobtrail.conf makes, which the caller frees; the test fails where
 * it makes none. */
void *compiled(const char *text);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_LDWRAP_WRAP_H
#define JOBTRAIL_LDWRAP_WRAP_H

/* Does what the linker `called` would do with these arguments, and marks and records the link.
 * Where it cannot mark or record, it runs the plain link. Returns the exit status, or does not
 * return. */
int wrap(const char *called, int argc, char **argv);

#endif

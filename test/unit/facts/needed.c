/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library with one function, of the version SECOND in the second of its releases. */
int needed(void);

int needed(void)
{
    return 0;
}

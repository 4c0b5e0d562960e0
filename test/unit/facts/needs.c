/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library that needs the other one. */
int needed(void);
int needs(void);

int needs(void)
{
    return needed();
}

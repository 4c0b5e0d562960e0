/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that calls the function CALLED of a library. */
int CALLED(void);

int main(void)
{
    return CALLED();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A program, and with MEMBER the archive's member that it is linked with: for fuzz_functions.c.
 */
int in_member(int value);

#ifdef MEMBER
int in_member(int value)
{
    return value + 1;
}
#else
int puts(const char *text);

int main(void)
{
    return puts("") + in_member(1);
}
#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/trampoline_templates.h"

#include <errno.h>
#include <stddef.h>

extern const unsigned char template_begins[], template_ends[];

/* The object as the assembler has made it; CMake says which one. */
__asm__(".pushsection .rodata\n"
        "template_begins:\n"
        ".incbin \"" TRAMPOLINE_TEMPLATE "\"\n"
        "template_ends:\n"
        ".popsection\n");

int trampoline_find(const struct object *object, struct trampoline *template)
{
    int error =
        trampoline_open(template_begins, (size_t)(template_ends - template_begins), template);
    if (error != 0)
        return -ENOENT;
    if (template->object.header.e_machine == object->header.e_machine &&
        template->object.is_64 == object->is_64)
        return 0;
    trampoline_close(template);
    return -ENOENT;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/stub_templates.h"

#include <errno.h>
#include <stddef.h>

extern const unsigned char template_begins[], template_ends[];

/* The object as the assembler has made it; CMake says which one. */
__asm__(".pushsection .rodata\n"
        "template_begins:\n"
        ".incbin \"" STUB_TEMPLATE "\"\n"
        "template_ends:\n"
        ".popsection\n");

int stub_template_find(const struct object *object, struct stub_template *stub)
{
    int error =
        stub_template_open(template_begins, (size_t)(template_ends - template_begins), stub);
    if (error != 0)
        return -ENOENT;
    if (stub->object.header.e_machine == object->header.e_machine &&
        stub->object.is_64 == object->is_64)
        return 0;
    stub_template_close(stub);
    return -ENOENT;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_loads.h"

#if TIMED_LOADS > 0

#include <stddef.h>

/* Up to three arguments, in registers. Others may be changed before a function is entered. */
__asm__(".pushsection .text, \"ax\", @progbits\n"
        "    .balign 16\n"
        "    .type timed_loads_through, @function\n"
        "timed_loads_through:\n"
        "    .cfi_startproc\n"
        "    .irp register, rdi, rsi, rdx\n"
        "    pushq %\\register\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .endr\n"
        "    movq %rsi, %rdx\n"
        "    movq %rdi, %rsi\n"
        "    movl %r11d, %edi\n"
        "    call timed_loads\n"
        "    .irp register, rdx, rsi, rdi\n"
        "    popq %\\register\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .endr\n"
        "    jmp *%rax\n"
        "    .cfi_endproc\n"
        "    .size timed_loads_through, . - timed_loads_through\n"
        "    .balign 16\n"
        "    .globl timed_loads_stubs\n"
        "    .hidden timed_loads_stubs\n"
        "    .type timed_loads_stubs, @function\n"
        "timed_loads_stubs:\n"
        "    .cfi_startproc\n"
        "    .set timed_loads_at, 0\n"
        "    .rept 64\n"
        "    .balign 16\n"
        "    endbr64\n"
        "    movl $timed_loads_at, %r11d\n"
        "    jmp timed_loads_through\n"
        "    .set timed_loads_at, timed_loads_at + 1\n"
        "    .endr\n"
        "    .balign 16\n"
        "    .cfi_endproc\n"
        "    .size timed_loads_stubs, . - timed_loads_stubs\n"
        "    .popsection\n");

enum { STUB_BYTES = 16 };

extern const unsigned char timed_loads_stubs[] __attribute__((visibility("hidden")));

uintptr_t timed_loads_stub(unsigned index)
{
    return (uintptr_t)(timed_loads_stubs + (size_t)index * STUB_BYTES);
}

bool timed_loads_is_stub(uintptr_t address)
{
    return address - timed_loads_stub(0) < (uintptr_t)TIMED_LOADS * STUB_BYTES;
}

#endif

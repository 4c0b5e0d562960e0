/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_loads.h"

#if TIMED_LOADS > 0

#include <stddef.h>

/* Arguments in registers are kept: these functions have up to six, and rax has the number of vector
 * registers of a variadic one. Others may be changed before a function is entered. */
__asm__(".pushsection .text, \"ax\", @progbits\n"
        "    .macro timed_loads_group name, function\n"
        "    .balign 16\n"
        "    .type \\name\\()_through, @function\n"
        "\\name\\()_through:\n"
        "    .cfi_startproc\n"
        "    .irp register, rax, r9, r8, rcx, rdx, rsi, rdi\n"
        "    pushq %\\register\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .endr\n"
        "    movl %r11d, %edi\n"
        "    movq %rsp, %rsi\n"
        "    call \\function\n"
        "    movq %rax, %r11\n"
        "    .irp register, rdi, rsi, rdx, rcx, r8, r9, rax\n"
        "    popq %\\register\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .endr\n"
        "    jmp *%r11\n"
        "    .cfi_endproc\n"
        "    .size \\name\\()_through, . - \\name\\()_through\n"
        "    .balign 16\n"
        "    .globl \\name\n"
        "    .hidden \\name\n"
        "    .type \\name, @function\n"
        "\\name:\n"
        "    .cfi_startproc\n"
        "    .set timed_loads_at, 0\n"
        "    .rept 64\n"
        "    .balign 16\n"
        "    endbr64\n"
        "    movl $timed_loads_at, %r11d\n"
        "    jmp \\name\\()_through\n"
        "    .set timed_loads_at, timed_loads_at + 1\n"
        "    .endr\n"
        "    .balign 16\n"
        "    .cfi_endproc\n"
        "    .size \\name, . - \\name\n"
        "    .endm\n"
        "    timed_loads_group timed_loads_stubs, timed_loads\n"
        "    timed_loads_group timed_confine_stubs, timed_confines\n"
        "    .popsection\n");

enum { STUB_BYTES = 16 };

extern const unsigned char timed_loads_stubs[] __attribute__((visibility("hidden")));
extern const unsigned char timed_confine_stubs[] __attribute__((visibility("hidden")));

uintptr_t timed_loads_stub(unsigned index)
{
    return (uintptr_t)(timed_loads_stubs + (size_t)index * STUB_BYTES);
}

bool timed_loads_is_stub(uintptr_t address)
{
    return address - timed_loads_stub(0) < (uintptr_t)TIMED_LOADS * STUB_BYTES;
}

uintptr_t timed_confine_stub(unsigned index)
{
    return (uintptr_t)(timed_confine_stubs + (size_t)index * STUB_BYTES);
}

bool timed_confine_is_stub(uintptr_t address)
{
    return address - timed_confine_stub(0) < (uintptr_t)TIMED_LOADS * STUB_BYTES;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/slots/slots.h"

#if SLOTS_LOADS > 0

#include <stddef.h>

/* Arguments in registers are kept: these functions have up to six, and rax has the number of vector
 * registers of a variadic one. Others may be changed before a function is entered. Linkers put a
 * section of this name behind .rodata. Between code and constants the stubs would cost each process
 * a page more that it touches. */
__asm__(".pushsection .gnu_extab.slots, \"ax\", @progbits\n"
        "    .balign 16\n"
        "    .type slots_load_through, @function\n"
        "slots_load_through:\n"
        "    .cfi_startproc\n"
        "    .irp register, rax, r9, r8, rcx, rdx, rsi, rdi\n"
        "    pushq %\\register\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .endr\n"
        "    movl %r11d, %edi\n"
        "    movq %rsp, %rsi\n"
        "    call slots_loads\n"
        "    movq %rax, %r11\n"
        "    .irp register, rdi, rsi, rdx, rcx, r8, r9, rax\n"
        "    popq %\\register\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .endr\n"
        "    jmp *%r11\n"
        "    .cfi_endproc\n"
        "    .size slots_load_through, . - slots_load_through\n"
        "    .balign 16\n"
        "    .globl slots_load_stubs\n"
        "    .hidden slots_load_stubs\n"
        "    .type slots_load_stubs, @function\n"
        "slots_load_stubs:\n"
        "    .cfi_startproc\n"
        "    .set slots_at, 0\n"
        "    .rept 64\n"
        "    .balign 16\n"
        "    endbr64\n"
        "    movl $slots_at, %r11d\n"
        "    jmp slots_load_through\n"
        "    .set slots_at, slots_at + 1\n"
        "    .endr\n"
        "    .balign 16\n"
        "    .cfi_endproc\n"
        "    .size slots_load_stubs, . - slots_load_stubs\n"
        "    .popsection\n");

enum { STUB_BYTES = 16 };

extern const unsigned char slots_load_stubs[] __attribute__((visibility("hidden")));

uintptr_t slots_load_stub(uint32_t index)
{
    return (uintptr_t)(slots_load_stubs + (size_t)index * STUB_BYTES);
}

bool slots_is_load_stub(uintptr_t address)
{
    return address - slots_load_stub(0) < (uintptr_t)SLOTS_LOADS * STUB_BYTES;
}

#endif

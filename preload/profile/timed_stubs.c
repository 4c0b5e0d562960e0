/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/timed_stubs.h"

#if TIMED_STUBS > 0

#include <stddef.h>

#include "preload/profile/timed_own.h"
#include "preload/slots/slots.h"

_Static_assert(offsetof(struct timed_call, index) == 8 && offsetof(struct timed_call, key) == 16 &&
                   offsetof(struct timed_call, count) == 24 &&
                   offsetof(struct timed_call, argument) == 32 &&
                   offsetof(struct timed_call, rbp) == 96,
               "as the assembly has them");
_Static_assert(sizeof(struct timed_entry) == 24 && offsetof(struct timed_entry, words) == 10 &&
                   offsetof(struct timed_entry, is_lazy) == 18 &&
                   sizeof(struct timed_unbound) == 48 && offsetof(struct timed_call, first) == 0 &&
                   offsetof(struct timed_unbound, original) == 8 &&
                   offsetof(struct timed_unbound, relocation) == 16,
               "as the assembly has them");

/* The index is in r11d, which no argument is in. The frame is found by rbp, as its size differs.
 * What the caller has just pushed is loaded as it was stored, by words: larger loads would wait for
 * the stores. It is copied before the counter is read: the routine then need not wait for it. The
 * copy lies as the arguments do within 64 bytes, the largest alignment of one. The registers of
 * arguments are restored at the end as well: some routines, of calling conventions of their own,
 * change none. */
__asm__(".pushsection .text, \"ax\", @progbits\n"
        "    .balign 64\n"
        "    .type timed_through, @function\n"
        "timed_through:\n"
        "    .cfi_startproc\n"
        "    cmpb $0, profile_is_on(%rip)\n"
        "    je timed_past\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register rbp\n"
        "    .irp register, r10, rax, r9, r8, rcx, rdx, rsi, rdi\n"
        "    pushq %\\register\n"
        "    .endr\n"
        "    subq $32, %rsp\n"
        "    movl %r11d, 8(%rsp)\n"
        "    leaq timed_entries(%rip), %rax\n"
        "    leaq (%r11,%r11,2), %rcx\n"
        "    movzbl 10(%rax,%rcx,8), %ecx\n"
        "    cmpl $254, %ecx\n"
        "    je 13f\n"
        "    ja 10f\n"
        "0:  testl %ecx, %ecx\n"
        "    jz 3f\n"
        "    leaq 16(%rbp), %rdx\n"
        "    leaq 8(%rbp,%rcx,8), %rax\n"
        "    xorq %rdx, %rax\n"
        "    cmpq $4095, %rax\n"
        "    ja 7f\n"
        "1:  cmpl $8, %ecx\n"
        "    jne 9f\n"
        "    .irp at, 72, 64, 56, 48, 40, 32, 24, 16\n"
        "    pushq \\at(%rbp)\n"
        "    .endr\n"
        "    jmp 3f\n"
        "9:  leaq (,%rcx,8), %rax\n"
        "    subq %rax, %rsp\n"
        "    leaq -16(%rsp), %rax\n"
        "    subq %rbp, %rax\n"
        "    andl $63, %eax\n"
        "    subq %rax, %rsp\n"
        "    cmpl $96, %ecx\n"
        "    ja 11f\n"
        "2:  movq (%rbp,%rcx,8), %rax\n"
        "    movq 8(%rbp,%rcx,8), %r10\n"
        "    movq %rax, -16(%rsp,%rcx,8)\n"
        "    movq %r10, -8(%rsp,%rcx,8)\n"
        "    subq $2, %rcx\n"
        "    jnz 2b\n"
        "3:  leaq -96(%rbp), %rdi\n"
        "    call timed_enter\n"
        "    testq %rax, %rax\n"
        "    jz 4f\n"
        "8:  movq %rax, %r11\n"
        "    movq -64(%rbp), %rdi\n"
        "    movq -56(%rbp), %rsi\n"
        "    movq -48(%rbp), %rdx\n"
        "    movq -40(%rbp), %rcx\n"
        "    movq -32(%rbp), %r8\n"
        "    movq -24(%rbp), %r9\n"
        "    movq -16(%rbp), %rax\n"
        "    movq -8(%rbp), %r10\n"
        "    call *%r11\n"
        "    leaq -96(%rbp), %rsp\n"
        "    movq %rax, -16(%rbp)\n"
        "    movq %rdx, -48(%rbp)\n"
        "    movq %rsp, %rdi\n"
        "    call timed_leave\n"
        "    testl %eax, %eax\n"
        "    jnz 5f\n"
        "6:  movq -64(%rbp), %rdi\n"
        "    movq -56(%rbp), %rsi\n"
        "    movq -48(%rbp), %rdx\n"
        "    movq -40(%rbp), %rcx\n"
        "    movq -32(%rbp), %r8\n"
        "    movq -24(%rbp), %r9\n"
        "    movq -16(%rbp), %rax\n"
        "    movq -8(%rbp), %r10\n"
        "    .cfi_remember_state\n"
        "    leave\n"
        "    .cfi_def_cfa rsp, 8\n"
        "    ret\n"
        "    .cfi_restore_state\n"
        "    .macro timed_slowly function\n"
        "    subq $128, %rsp\n"
        "    .irp number, 0, 1, 2, 3, 4, 5, 6, 7\n"
        "    movups %xmm\\number, 16*\\number(%rsp)\n"
        "    .endr\n"
        "    leaq -96(%rbp), %rdi\n"
        "    call \\function\n"
        "    .irp number, 0, 1, 2, 3, 4, 5, 6, 7\n"
        "    movups 16*\\number(%rsp), %xmm\\number\n"
        "    .endr\n"
        "    addq $128, %rsp\n"
        "    .endm\n"
        "4:  timed_slowly timed_enter_slowly\n"
        "    jmp 8b\n"
        "5:  subq $32, %rsp\n"
        "    movups %xmm0, (%rsp)\n"
        "    movups %xmm1, 16(%rsp)\n"
        "    leaq -96(%rbp), %rdi\n"
        "    call timed_leave_slowly\n"
        "    movups (%rsp), %xmm0\n"
        "    movups 16(%rsp), %xmm1\n"
        "    jmp 6b\n"
        "7:  movq %rsp, %rdi\n"
        "    call timed_words\n"
        "    cmpq $254, %rax\n"
        "    jb 12f\n"
        "    je 13f\n"
        "    timed_slowly timed_words_slowly\n"
        "    cmpl $254, %eax\n"
        "    je 13f\n"
        "12: movl %eax, %ecx\n"
        "    testl %ecx, %ecx\n"
        "    jnz 1b\n"
        "    jmp 3b\n"
        "10: movq 8(%rbp), %rax\n"
        "    leaq timed_sites(%rip), %rcx\n"
        "    movl %eax, %edx\n"
        "    shrl $9, %edx\n"
        "    xorl %eax, %edx\n"
        "    shlq $19, %rax\n"
        "    andl $511, %edx\n"
        "    shll $7, %r11d\n"
        "    orq %r11, %rax\n"
        "    xorq (%rcx,%rdx,8), %rax\n"
        "    cmpq $126, %rax\n"
        "    ja 7b\n"
        "    leal (%rax,%rax), %ecx\n"
        "    jmp 0b\n"
        "11: movq %rsp, %rdi\n"
        "    leaq 16(%rbp), %rsi\n"
        "    rep movsq\n"
        "    jmp 3b\n"
        "13: movl 8(%rsp), %r11d\n"
        "    movq -64(%rbp), %rdi\n"
        "    movq -56(%rbp), %rsi\n"
        "    movq -48(%rbp), %rdx\n"
        "    movq -40(%rbp), %rcx\n"
        "    movq -32(%rbp), %r8\n"
        "    movq -24(%rbp), %r9\n"
        "    movq -16(%rbp), %rax\n"
        "    movq -8(%rbp), %r10\n"
        "    .cfi_remember_state\n"
        "    leave\n"
        "    .cfi_def_cfa rsp, 8\n"
        "    jmp timed_past\n"
        "    .cfi_restore_state\n"
        "    .cfi_endproc\n"
        "    .size timed_through, . - timed_through\n"
        "    .popsection\n");

/* In the frame of timed_through(), as the routine. What the slot of an object that mold has linked
 * leads to has the relocation's number in r11, as its entries set it. No other register is free:
 * the address is jumped to from the 128 bytes below the stack that signal handlers leave alone. */
__asm__(".pushsection .text, \"ax\", @progbits\n"
        "    .balign 16\n"
        "    .globl timed_first\n"
        "    .hidden timed_first\n"
        "    .type timed_first, @function\n"
        "timed_first:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    movq -96(%rbp), %r11\n"
        "    pushq 8(%r11)\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    movl 16(%r11), %r11d\n"
        "    leaq 8(%rsp), %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *-8(%rsp)\n"
        "    .cfi_endproc\n"
        "    .size timed_first, . - timed_first\n"
        "    .popsection\n");

/* Where the profile is off: jumps to the routine, or to what the slot led to, which then finds the
 * relocation's number in r11. No handler of a signal writes to what is just below the stack
 * pointer. */
__asm__(".pushsection .text, \"ax\", @progbits\n"
        "    .balign 16\n"
        "    .type timed_past, @function\n"
        "timed_past:\n"
        "    .cfi_startproc\n"
        "    pushq %rax\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rcx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    movl %r11d, %ecx\n"
        "    leaq timed_entries(%rip), %rax\n"
        "    leaq (%rcx,%rcx,2), %r11\n"
        "    movq (%rax,%r11,8), %r11\n"
        "    testq %r11, %r11\n"
        "    jnz 1f\n"
        "    leaq timed_unbound(%rip), %rax\n"
        "    shlq $4, %rcx\n"
        "    leaq (%rcx,%rcx,2), %r11\n"
        "    addq %r11, %rax\n"
        "    movq 8(%rax), %r11\n"
        "    movq %r11, -8(%rsp)\n"
        "    movl 16(%rax), %r11d\n"
        "    popq %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rax\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *-24(%rsp)\n"
        "    .cfi_adjust_cfa_offset 16\n"
        "1:  popq %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rax\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *%r11\n"
        "    .cfi_endproc\n"
        "    .size timed_past, . - timed_past\n"
        "    .popsection\n");

/* As routine_stubs.c says of the section. Below a stub nothing has been pushed yet: an unwinder
 * that starts there, in a handler of a signal, finds the return address on the stack. */
__asm__(".pushsection .gnu_extab.timed, \"ax\", @progbits\n"
        "    .balign 16\n"
        "    .long timed_entries - .\n"
        "    .byte 1, 24, 0, 18, 0, 0, 0, 0\n"
        "    .long " SLOTS_TABLE_MARK "\n"
        "    .globl timed_stubs\n"
        "    .hidden timed_stubs\n"
        "    .type timed_stubs, @function\n"
        "timed_stubs:\n"
        "    .cfi_startproc\n"
        "    .set timed_at, 0\n"
        "    .rept 4096\n"
        "    .balign 16\n"
        "    endbr64\n"
        "    movl $timed_at, %r11d\n"
        "    jmp timed_through\n"
        "    .set timed_at, timed_at + 1\n"
        "    .endr\n"
        "    .balign 16\n"
        "    .cfi_endproc\n"
        "    .size timed_stubs, . - timed_stubs\n"
        "    .popsection\n");

enum { STUB_BYTES = 16 };

extern const unsigned char timed_stubs[] __attribute__((visibility("hidden")));

uintptr_t timed_stub(unsigned index)
{
    return (uintptr_t)(timed_stubs + (size_t)index * STUB_BYTES);
}

bool timed_is_stub(uintptr_t address)
{
    return address - timed_stub(0) < (uintptr_t)TIMED_STUBS * STUB_BYTES;
}

#endif

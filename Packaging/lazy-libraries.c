// Defines functions that load their library at the first call. Packaging/lazy-linker.sh writes "functions.h", which contains
// FUNCTION(the library's file, the function) for each function.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function {
  const char *library;
  const char *name;
  void *address;
};

#define HIDDEN __attribute__((visibility("hidden")))

// Each function jumps to the address in its struct, which at first is the address of code that loads the library. This code gets
// the address of the struct in a register that no caller uses (r11 or x16).
#if defined(__x86_64__)
#define JUMP(name) "jmp *" #name "_function+16(%rip)\n"
#define LOAD(name) "lea " #name "_function(%rip), %r11\njmp load_and_jump\n"
#elif defined(__aarch64__)
#define JUMP(name) "adrp x16, " #name "_function+16\nadd x16, x16, :lo12:" #name "_function+16\nldar x16, [x16]\nbr x16\n"
#define LOAD(name) "adrp x16, " #name "_function\nadd x16, x16, :lo12:" #name "_function\nb load_and_jump\n"
#endif

#define FUNCTION(library, name) \
  extern char name##_load[] HIDDEN; \
  HIDDEN __attribute__((section("lazy_functions"))) struct function name##_function = {library, #name, name##_load}; \
  __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name ":\n" JUMP(name) \
          ".hidden " #name "_load\n" #name "_load:\n" LOAD(name));
#include "functions.h"

// The linker's names for the ends of the section.
extern struct function __start_lazy_functions[] HIDDEN;
extern struct function __stop_lazy_functions[] HIDDEN;

static void *required(void *pointer) {
  if (pointer) return pointer;
  dprintf(2, "syrinx: cannot load a library: %s; install it\n", dlerror());
  quick_exit(1);
}

// Loads the library of a function, and stores the addresses of all its functions. The audio thread never loads a library, because
// another thread has called the library before. Several threads may run this at once, because they store the same addresses.
HIDDEN void load_library(const struct function *first) {
  int error = errno;
  void *library = required(dlopen(first->library, RTLD_NOW));
  for (struct function *function = __start_lazy_functions; function < __stop_lazy_functions; function++)
    if (strcmp(function->library, first->library) == 0)
      // Released, so that a thread that reads the address also sees the loaded library.
      __atomic_store_n(&function->address, required(dlsym(library, function->name)), __ATOMIC_RELEASE);
  errno = error;
}

// Saves and restores the registers that can contain arguments.
#if defined(__x86_64__)
__asm__(
  ".text\nload_and_jump:\n"
  "push %rbp\nmov %rsp, %rbp\n"
  "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\npush %r11\n"
  "sub $128, %rsp\n"
  "movups %xmm0, (%rsp)\nmovups %xmm1, 16(%rsp)\nmovups %xmm2, 32(%rsp)\nmovups %xmm3, 48(%rsp)\n"
  "movups %xmm4, 64(%rsp)\nmovups %xmm5, 80(%rsp)\nmovups %xmm6, 96(%rsp)\nmovups %xmm7, 112(%rsp)\n"
  "mov %r11, %rdi\ncall load_library\n"
  "movups (%rsp), %xmm0\nmovups 16(%rsp), %xmm1\nmovups 32(%rsp), %xmm2\nmovups 48(%rsp), %xmm3\n"
  "movups 64(%rsp), %xmm4\nmovups 80(%rsp), %xmm5\nmovups 96(%rsp), %xmm6\nmovups 112(%rsp), %xmm7\n"
  "add $128, %rsp\n"
  "pop %r11\npop %rax\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\npop %rbp\n"
  "jmp *16(%r11)\n");
#elif defined(__aarch64__)
__asm__(
  ".text\nload_and_jump:\n"
  "stp x29, x30, [sp, #-224]!\nmov x29, sp\n"
  "stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\nstp x8, x16, [sp, #80]\n"
  "stp q0, q1, [sp, #96]\nstp q2, q3, [sp, #128]\nstp q4, q5, [sp, #160]\nstp q6, q7, [sp, #192]\n"
  "mov x0, x16\nbl load_library\n"
  "ldp q6, q7, [sp, #192]\nldp q4, q5, [sp, #160]\nldp q2, q3, [sp, #128]\nldp q0, q1, [sp, #96]\n"
  "ldp x8, x16, [sp, #80]\nldp x6, x7, [sp, #64]\nldp x4, x5, [sp, #48]\nldp x2, x3, [sp, #32]\nldp x0, x1, [sp, #16]\n"
  "ldp x29, x30, [sp], #224\n"
  "ldr x16, [x16, #16]\nbr x16\n");
#endif

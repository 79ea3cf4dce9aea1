/* Lets the n-th request for memory by clipgram's compiled modules fail, and no other: preloaded, and armed by
 * no_memory.py. glibc only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static volatile long left;

void no_memory_arm(long n) { left = n; }
long no_memory_left(void) { return left; }

static int fails(void *caller) {
    Dl_info library;
    if (left <= 0 || !dladdr(caller, &library) || !library.dli_fname) return 0;
    if (!strstr(library.dli_fname, "/clipgram/_")) return 0;
    return --left == 0;
}

void *malloc(size_t n) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size); }
void *realloc(void *at, size_t n) { return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(at, n); }

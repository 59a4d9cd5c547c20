/* Makes the n-th call that changes a file fail, or kills the process there. Loaded with LD_PRELOAD.
 *
 * shim_arm(n, mode): the n-th call from now on, from 1. mode 0: only count. 1: ENOSPC, for this and every later write, as
 * on a full disk. 2: EIO, once. 3: EINTR, once. 4: SIGKILL before the call. 5: SIGKILL after half of a write.
 * shim_count(): calls since then. Only regular files are counted, so nothing printed to a pipe is.
 *
 * Not modelled: what a power cut does to bytes that were never synced.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile long armed = 0, at = 0, calls = 0;
static volatile int mode = 0;

void shim_arm(long n, int how) { calls = 0; at = n; mode = how; armed = 1; }
long shim_count(void) { return calls; }

static int regular(int fd) {
    struct stat found;
    return fd > 2 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

/* 0: go on. 1: fail with errno set. 2: write half, then die. */
static int strike(int is_write) {
    if (!armed) return 0;
    long n = __sync_add_and_fetch(&calls, 1);
    if (mode == 1 && n >= at && (is_write || n == at)) { errno = ENOSPC; return 1; }
    if (n != at) return 0;
    if (mode == 2) { errno = EIO; return 1; }
    if (mode == 3) { errno = EINTR; return 1; }
    if (mode == 4 || (mode == 5 && !is_write)) kill(getpid(), SIGKILL);
    if (mode == 5) return 2;
    return 0;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t n) {
    REAL(write);
    int hit = regular(fd) ? strike(1) : 0;
    if (hit == 1) return -1;
    if (hit == 2) { real(fd, data, n / 2); kill(getpid(), SIGKILL); }
    return real(fd, data, n);
}
ssize_t pwrite(int fd, const void *data, size_t n, off_t where) {
    REAL(pwrite);
    int hit = regular(fd) ? strike(1) : 0;
    if (hit == 1) return -1;
    if (hit == 2) { real(fd, data, n / 2, where); kill(getpid(), SIGKILL); }
    return real(fd, data, n, where);
}
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t where) {
    REAL(pwrite64);
    int hit = regular(fd) ? strike(1) : 0;
    if (hit == 1) return -1;
    if (hit == 2) { real(fd, data, n / 2, where); kill(getpid(), SIGKILL); }
    return real(fd, data, n, where);
}
int fsync(int fd) { REAL(fsync); if (strike(0)) return -1; return real(fd); }
int fdatasync(int fd) { REAL(fdatasync); if (strike(0)) return -1; return real(fd); }
int ftruncate(int fd, off_t n) { REAL(ftruncate); if (strike(0)) return -1; return real(fd, n); }
int ftruncate64(int fd, off64_t n) { REAL(ftruncate64); if (strike(0)) return -1; return real(fd, n); }
int truncate(const char *path, off_t n) { REAL(truncate); if (strike(0)) return -1; return real(path, n); }
int rename(const char *a, const char *b) { REAL(rename); if (strike(0)) return -1; return real(a, b); }
int unlink(const char *path) { REAL(unlink); if (strike(0)) return -1; return real(path); }
int unlinkat(int fd, const char *path, int flags) { REAL(unlinkat); if (strike(0)) return -1; return real(fd, path, flags); }
int mkdir(const char *path, mode_t m) { REAL(mkdir); if (strike(0)) return -1; return real(path, m); }
int rmdir(const char *path) { REAL(rmdir); if (strike(0)) return -1; return real(path); }
int fallocate(int fd, int how, off_t a, off_t b) { REAL(fallocate); if (strike(1)) return -1; return real(fd, how, a, b); }

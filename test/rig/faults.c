// Preloaded into a command: fails, cuts short or kills at the N-th call that touches a folder, and shifts its clock.

// fault-shim.ts describes the settings. A fault that the kernel could not cause at that call lets the call succeed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { READ = 1, MAKE = 2, WRITE = 4, SYNC = 8, NAME = 16, MODE = 32 }; // the kind of a call
enum { PASS, FAIL, SHORT, KILL_AFTER };                                // its result

static int on;
static const char *under, *does, *log_file;
static long at, times = 1, clock_seconds, fs_magic;
static atomic_long counted;

static const char *given(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/** Whether the name is in the list, which is separated by commas. */
static int is_among(const char *scripts, const char *name) {
  size_t size = strlen(name);
  for (const char *at = scripts; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, size) == 0 && (at[size] == 0 || at[size] == ',')) return 1;
  return 0;
}

static int is_meant(const char *scripts) {
  char line[65536];
  int fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY);
  long size = syscall(SYS_read, fd, line, sizeof line - 1);
  syscall(SYS_close, fd);
  if (size < 0) return 0;
  line[size] = 0;
  for (char *word = line; word < line + size; word += strlen(word) + 1) {
    const char *last = strrchr(word, '/');
    if (is_among(scripts, last ? last + 1 : word)) return 1;
  }
  return 0;
}

__attribute__((constructor)) static void begin(void) {
  const char *script = given("FAULT_IN");
  on = script && is_meant(script);
  if (!on) return;
  under = given("FAULT_UNDER");
  does = given("FAULT_DO");
  log_file = given("FAULT_LOG");
  if (given("FAULT_AT")) at = atol(given("FAULT_AT"));
  if (given("FAULT_TIMES")) times = atol(given("FAULT_TIMES"));
  if (given("FAULT_CLOCK")) clock_seconds = atol(given("FAULT_CLOCK"));
  if (given("FAULT_STATFS")) fs_magic = strtol(given("FAULT_STATFS"), NULL, 16);
}

static int below(const char *path) {
  size_t size = strlen(under);
  return strncmp(path, under, size) == 0 && (path[size] == 0 || path[size] == '/' || under[size - 1] == '/');
}

static void name_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long size = readlink(link, path, PATH_MAX - 1);
  path[size < 0 ? 0 : size] = 0;
}

static void whole_name(int dir, const char *name, char *path) {
  path[0] = 0;
  if (name[0] != '/') {
    if (dir == AT_FDCWD) { if (!getcwd(path, PATH_MAX)) path[0] = 0; } else name_of(dir, path);
    strncat(path, "/", PATH_MAX - strlen(path) - 1);
  }
  strncat(path, name, PATH_MAX - strlen(path) - 1);
}

static int fault(int what) {
  static const struct { const char *name; int code, at; } ERRORS[] = {
      {"ENOSPC", ENOSPC, MAKE | WRITE | SYNC | NAME}, {"EDQUOT", EDQUOT, MAKE | WRITE | SYNC | NAME},
      {"EIO", EIO, ~0}, {"EROFS", EROFS, ~(READ | SYNC)}, {"EACCES", EACCES, ~(WRITE | SYNC)}, {"EMFILE", EMFILE, 0}};
  if (strcmp(does, "SHORT") == 0) return what == WRITE ? SHORT : PASS;
  for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
    if (strcmp(does, ERRORS[i].name) == 0) {
      int opens = what & 64, allowed = ERRORS[i].code == EMFILE ? opens : what & ~64 & ERRORS[i].at;
      errno = ERRORS[i].code;
      return allowed ? FAIL : PASS;
    }
  return PASS;
}

static int count(const char *name, int what, const char *path) {
  long n = atomic_fetch_add(&counted, 1) + 1;
  if (log_file) {
    char line[PATH_MAX + 64];
    int size = snprintf(line, sizeof line, "%ld %s %s\n", n, name, path);
    int fd = syscall(SYS_openat, AT_FDCWD, log_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    syscall(SYS_write, fd, line, size);
    syscall(SYS_close, fd);
  }
  if (!does || at == 0 || n < at || (times != 0 && n >= at + times)) return PASS;
  if (strcmp(does, "KILL") == 0) for (;;) { syscall(SYS_kill, getpid(), SIGKILL); pause(); }
  if (strcmp(does, "KILL_AFTER") == 0) return KILL_AFTER;
  return fault(what);
}

static int by_name(const char *call, int what, int dir, const char *name) {
  if (!on || !under || !name) return PASS;
  char path[PATH_MAX];
  whole_name(dir, name, path);
  return below(path) ? count(call, what, path) : PASS;
}

static int by_fd(const char *call, int what, int fd) {
  if (!on || !under) return PASS;
  char path[PATH_MAX];
  name_of(fd, path);
  return below(path) ? count(call, what, path) : PASS;
}

static long after(int plan, long result) {
  if (plan == KILL_AFTER) for (;;) { syscall(SYS_kill, getpid(), SIGKILL); pause(); }
  return result;
}

#define NEXT(name) ({ static void *next; if (!next) next = dlsym(RTLD_NEXT, #name); (__typeof__(&name))next; })
#define CALL(name, plan, ...) ({ int plan_ = (plan); plan_ == FAIL ? -1 : after(plan_, NEXT(name)(__VA_ARGS__)); })

static _Thread_local int cut_fd = -1;                                   // the descriptor that was cut short; a file opened since is another

static int opening(int flags) {
  cut_fd = -1;
  return 64 | (flags & O_CREAT ? MAKE : (flags & O_ACCMODE) == O_RDONLY ? READ : MODE);
}
#define MODE_OF(flags) ({ va_list rest; va_start(rest, flags); mode_t m = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; va_end(rest); m; })

int open(const char *path, int flags, ...) {
  mode_t mode = MODE_OF(flags);
  return CALL(open, by_name("open", opening(flags), AT_FDCWD, path), path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  mode_t mode = MODE_OF(flags);
  return CALL(open64, by_name("open", opening(flags), AT_FDCWD, path), path, flags, mode);
}
int openat(int dir, const char *path, int flags, ...) {
  mode_t mode = MODE_OF(flags);
  return CALL(openat, by_name("open", opening(flags), dir, path), dir, path, flags, mode);
}
int creat(const char *path, mode_t mode) {
  return CALL(creat, by_name("open", opening(O_CREAT), AT_FDCWD, path), path, mode);
}

// libuv continues what was cut short, so the next write on that descriptor finds the disk full, as on a real disk.
static int writing(int fd) {
  int plan = by_fd("write", WRITE, fd);
  if (plan == PASS && cut_fd == fd) { plan = FAIL; errno = ENOSPC; }
  cut_fd = plan == SHORT ? fd : -1;
  return plan;
}
static size_t cut(int plan, size_t size) { return plan == SHORT ? size / 2 : size; }

ssize_t write(int fd, const void *bytes, size_t size) {
  int plan = writing(fd);
  return CALL(write, plan, fd, bytes, cut(plan, size));
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t from) {
  int plan = writing(fd);
  return CALL(pwrite, plan, fd, bytes, cut(plan, size), from);
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t from) {
  int plan = writing(fd);
  return CALL(pwrite64, plan, fd, bytes, cut(plan, size), from);
}
ssize_t writev(int fd, const struct iovec *parts, int many) {
  int plan = writing(fd);
  if (plan == SHORT) return NEXT(write)(fd, parts[0].iov_base, cut(plan, parts[0].iov_len));
  return CALL(writev, plan, fd, parts, many);
}

// A disk that returns no data: EIO_READ affects every read, and counts none.
static int unreadable(int fd) {
  char path[PATH_MAX];
  if (!on || !under || !does || strcmp(does, "EIO_READ") != 0) return 0;
  name_of(fd, path);
  if (!below(path)) return 0;
  errno = EIO;
  return 1;
}
ssize_t read(int fd, void *bytes, size_t size) { return unreadable(fd) ? -1 : NEXT(read)(fd, bytes, size); }
ssize_t pread(int fd, void *bytes, size_t size, off_t from) {
  return unreadable(fd) ? -1 : NEXT(pread)(fd, bytes, size, from);
}
ssize_t pread64(int fd, void *bytes, size_t size, off64_t from) {
  return unreadable(fd) ? -1 : NEXT(pread64)(fd, bytes, size, from);
}

int fsync(int fd) { return CALL(fsync, by_fd("fsync", SYNC, fd), fd); }
int fdatasync(int fd) { return CALL(fdatasync, by_fd("fdatasync", SYNC, fd), fd); }
int ftruncate(int fd, off_t size) { return CALL(ftruncate, by_fd("ftruncate", WRITE, fd), fd, size); }
int ftruncate64(int fd, off64_t size) { return CALL(ftruncate64, by_fd("ftruncate", WRITE, fd), fd, size); }
int fchmod(int fd, mode_t mode) { return CALL(fchmod, by_fd("fchmod", MODE, fd), fd, mode); }
int chmod(const char *path, mode_t mode) {
  return CALL(chmod, by_name("chmod", MODE, AT_FDCWD, path), path, mode);
}
int mkdir(const char *path, mode_t mode) {
  return CALL(mkdir, by_name("mkdir", NAME, AT_FDCWD, path), path, mode);
}
char *mkdtemp(char *path) {
  int plan = by_name("mkdir", NAME, AT_FDCWD, path);
  return plan == FAIL ? NULL : (char *)after(plan, (long)NEXT(mkdtemp)(path));
}
int rmdir(const char *path) { return CALL(rmdir, by_name("rmdir", MODE, AT_FDCWD, path), path); }
int unlink(const char *path) { return CALL(unlink, by_name("unlink", MODE, AT_FDCWD, path), path); }
int unlinkat(int dir, const char *path, int flags) {
  return CALL(unlinkat, by_name("unlink", MODE, dir, path), dir, path, flags);
}

/** Counted once if either name is below the folder. */
static int by_names(const char *call, int from_dir, const char *from, int to_dir, const char *to) {
  char path[PATH_MAX];
  if (on && under) whole_name(to_dir, to, path);
  return on && under && below(path) ? by_name(call, NAME, to_dir, to) : by_name(call, NAME, from_dir, from);
}
int rename(const char *from, const char *to) {
  return CALL(rename, by_names("rename", AT_FDCWD, from, AT_FDCWD, to), from, to);
}
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
  return CALL(renameat2, by_names("rename", from_dir, from, to_dir, to), from_dir, from, to_dir, to, flags);
}
int link(const char *from, const char *to) {
  return CALL(link, by_names("link", AT_FDCWD, from, AT_FDCWD, to), from, to);
}
int symlink(const char *to, const char *path) {
  return CALL(symlink, by_name("symlink", NAME, AT_FDCWD, path), to, path);
}

// The type of a file system is the first field of the result of statfs(2).
extern int statfs(const char *, long *);
extern int statfs64(const char *, long *);
extern int fstatfs(int, long *);
extern int fstatfs64(int, long *);
static int played(int result, long *told) {
  if (on && result == 0 && fs_magic) *told = fs_magic;
  return result;
}
int statfs(const char *path, long *told) { return played(NEXT(statfs)(path, told), told); }
int statfs64(const char *path, long *told) { return played(NEXT(statfs64)(path, told), told); }
int fstatfs(int fd, long *told) { return played(NEXT(fstatfs)(fd, told), told); }
int fstatfs64(int fd, long *told) { return played(NEXT(fstatfs64)(fd, told), told); }

int clock_gettime(clockid_t which, struct timespec *now) {
  int result = NEXT(clock_gettime)(which, now);
  if (on && result == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += clock_seconds;
  return result;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int result = NEXT(gettimeofday)(now, zone);
  if (on && result == 0) now->tv_sec += clock_seconds;
  return result;
}
time_t time(time_t *now) {
  time_t told = NEXT(time)(NULL) + (on ? clock_seconds : 0);
  if (now) *now = told;
  return told;
}

/*
 * Runs scripts of descriptor calls on the kernel of this machine and prints what it answers.
 *
 * The program is the supervisor of a few processes, the tasks of a script, one per slot of a shared
 * mapping. A task waits on a futex in its slot, makes the call it finds there and stores the answer;
 * the supervisor hands out one call after the other. So a script has one order, although its tasks are
 * true processes that fork, share tables and replace their image.
 *
 * Nothing of this takes a descriptor inside a task: the mapping is System V shared memory, which a task
 * attaches again by its number after exec, and FDSize is read by the supervisor, from outside. A task
 * therefore starts with exactly 0, 1 and 2, in a table of 64 slots.
 *
 * A reserved slot is a task blocked in open() of a FIFO; the supervisor opens the other end to install
 * the file, or interrupts the open with a signal to give the number back.
 *
 * All tasks are children of the supervisor (CLONE_PARENT). An exit has happened when it has reaped the
 * task, which is after the kernel has let go of the table.
 *
 * Descriptors travel as real SCM_RIGHTS messages, sent by one task, held by the supervisor, received by
 * another; pidfd_getfd is the real call, too. Both need a descriptor of their own for a moment: the task
 * parks it in the highest free slot of its table, where it is in nobody's way, as long as the script
 * leaves a few slots free.
 *
 * usage: fdoracle DIRECTORY < script
 *
 * The directory holds the FIFOs and one regular file. A script is "seq SOFT HARD", lines of
 * "TASK CALL ARGUMENTS", and "end"; each line of the script but the first and last is answered by one
 * line: the answer, a tab, FDSize of the task.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY 1027
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

enum { TASKS = 16, TEXT = 1 << 17, LINES = 4096, ARGS = 5, LINE = 128, MESSAGES = 16, MESSAGE_FDS = 253 };

enum state { IDLE, GO, OPENING, DONE };

struct slot {
	_Atomic unsigned state;
	int pid;
	int status; /* supervisor's descriptor of /proc/PID/status, or -1 */
	int alive;
	int blocked;
	char call[24];
	long arg[ARGS];
	long ret;
	int error;
	int cloexec; /* of the descriptor in ret: 0 or 1, -1 if ret is none */
	int queued;  /* messages that wait for the task */
	int message[MESSAGES][MESSAGE_FDS + 1]; /* each its length and the supervisor's descriptors */
	char text[TEXT];
};

struct shared {
	char directory[512];
	int supervisor;
	struct slot slot[TASKS];
};

static struct shared *shm;
static char shmid_text[16];
static int shmid;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void futex_wait(_Atomic unsigned *word, unsigned value, long milliseconds)
{
	struct timespec timeout = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

static void set_state(struct slot *slot, unsigned state)
{
	atomic_store(&slot->state, state);
	syscall(SYS_futex, &slot->state, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* ---- What a task does ---- */

static void interrupted(int signal)
{
	(void)signal;
}

static void become_task(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Yama would keep siblings from pidfd_getfd. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
}

static void catch_interrupts(void)
{
	struct sigaction action = { .sa_handler = interrupted }; /* no SA_RESTART */
	sigaction(SIGUSR1, &action, NULL);
}

static long open_kind(long kind, int flags)
{
	char path[600];
	switch (kind) {
	case 0: return syscall(SYS_openat, AT_FDCWD, "/dev/null", flags, 0600);
	case 1: return syscall(SYS_openat, AT_FDCWD, "/", flags, 0600);
	case 2:
		snprintf(path, sizeof path, "%s/regular", shm->directory);
		return syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
	case 3: return syscall(SYS_socket, AF_UNIX, SOCK_STREAM | (flags & ~O_ACCMODE), 0);
	case 4: return syscall(SYS_eventfd2, 0, flags & ~O_ACCMODE);
	default: errno = ENOSYS; return -1;
	}
}

static int same_file(int a, int b)
{
	return a == b || fcntl(a, F_DUPFD_QUERY, b) == 1;
}

/* Writes runs of descriptors of one open file with the same mark: "3-5=0+" for 3, 4 and 5, made from 0. */
static void dump(struct slot *slot, int width)
{
	enum { REPRESENTATIVES = 256 };
	static int seen[REPRESENTATIVES];
	int known = 0, first = -1, run_rep = -1, run_mark = 0;
	size_t length = 0;
	slot->text[0] = 0;
	for (int fd = 0; fd <= width; fd++) {
		int mark = (fd < width) ? fcntl(fd, F_GETFD) : -1;
		int rep = -1;
		if (mark >= 0) {
			if (run_rep >= 0 && same_file(run_rep, fd))
				rep = run_rep;
			for (int i = 0; rep < 0 && i < known; i++)
				if (same_file(seen[i], fd))
					rep = seen[i];
			if (rep < 0) {
				rep = fd;
				if (known < REPRESENTATIVES)
					seen[known++] = fd;
			}
		}
		if (first >= 0 && (rep != run_rep || mark != run_mark)) {
			length += snprintf(slot->text + length, TEXT - length, "%s%d", length ? " " : "", first);
			if (fd - 1 > first)
				length += snprintf(slot->text + length, TEXT - length, "-%d", fd - 1);
			length += snprintf(slot->text + length, TEXT - length, "=%d%s", run_rep, run_mark ? "+" : "");
			first = -1;
			if (length > TEXT - 64)
				return;
		}
		if (mark >= 0 && first < 0) {
			first = fd;
			run_rep = rep;
			run_mark = mark;
		}
		else if (mark < 0) {
			run_rep = -1;
		}
	}
}

static void fill(struct slot *slot, int fd, long count)
{
	long last = -1, done = 0;
	int error = 0;
	while (done < count) {
		long ret = syscall(SYS_dup, fd);
		if (ret < 0) {
			error = errno;
			break;
		}
		last = ret;
		done++;
	}
	snprintf(slot->text, TEXT, "%ld to %ld%s%s", done, last, error ? " " : "", error ? strerrorname_np(error) : "");
}

static void close_every(struct slot *slot, int first, int last, int step)
{
	long done = 0;
	for (long fd = first; fd <= last; fd += step)
		done += syscall(SYS_close, (int)fd) == 0;
	snprintf(slot->text, TEXT, "%ld", done);
}

/* ---- Descriptors from one task to another ---- */

static struct sockaddr_un address(const char *role, int number, socklen_t *length)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int used = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "fdoracle-%d-%s%d", shm->supervisor, role, number);
	*length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + used);
	return name;
}

static int bound_socket(const char *role, int number)
{
	socklen_t length;
	struct sockaddr_un name = address(role, number, &length);
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&name, length) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Moves a descriptor to the highest free slot; the table does not grow, and next_fd is the same after all. */
static int park(int fd, int width)
{
	for (int slot = width - 1; slot > fd; slot--) {
		if (fcntl(slot, F_GETFD) < 0 && dup2(fd, slot) == slot) {
			close(fd);
			return slot;
		}
	}
	return fd;
}

static struct rlimit raise_limit(void)
{
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	struct rlimit raised = { limit.rlim_max, limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &raised);
	return limit;
}

static int parked_socket(const char *role, int number, int width)
{
	struct rlimit limit = raise_limit();
	int fd = role ? bound_socket(role, number) : socket(AF_UNIX, SOCK_DGRAM, 0);
	if (fd >= 0)
		fd = park(fd, width);
	setrlimit(RLIMIT_NOFILE, &limit);
	return fd;
}

static int parked_pidfd(int pid, int width)
{
	struct rlimit limit = raise_limit();
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	int error = errno;
	if (fd >= 0)
		fd = park(fd, width);
	setrlimit(RLIMIT_NOFILE, &limit);
	errno = error;
	return fd;
}

union control {
	char bytes[CMSG_SPACE(sizeof(int) * (MESSAGE_FDS + 1))];
	struct cmsghdr align;
};

static long send_fds(int through, const char *role, int number, const int *fds, int count, int note)
{
	socklen_t length;
	struct sockaddr_un name = address(role, number, &length);
	union control control = { 0 };
	struct iovec data = { &note, sizeof note };
	struct msghdr message = { &name, length, &data, 1, control.bytes, CMSG_SPACE(sizeof(int) * (size_t)count), 0 };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
	memcpy(CMSG_DATA(header), fds, sizeof(int) * (size_t)count);
	return sendmsg(through, &message, 0);
}

/* Returns how many arrived. */
static int receive_fds(int through, int *fds, int room, int flags, int *note, int *received_flags)
{
	union control control = { 0 };
	struct iovec data = { note, sizeof *note };
	struct msghdr message = { NULL, 0, &data, 1, control.bytes, room ? CMSG_SPACE(sizeof(int) * (size_t)room) : 0, 0 };
	/* CMSG_SPACE rounds up and would leave room for one more. */
	if (room)
		message.msg_controllen = CMSG_LEN(sizeof(int) * (size_t)room);
	if (recvmsg(through, &message, flags) < 0)
		return -1;
	*received_flags = message.msg_flags;
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (header == NULL || header->cmsg_type != SCM_RIGHTS)
		return 0;
	int count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	memcpy(fds, CMSG_DATA(header), sizeof(int) * (size_t)count);
	return count;
}

static long send_call(long *arg)
{
	int fds[MESSAGE_FDS + 1];
	int count = (int)arg[2];
	for (int i = 0; i < count; i++)
		fds[i] = (int)(arg[1] + i * arg[3]);
	int through = parked_socket(NULL, 0, (int)arg[4]);
	long ret = send_fds(through, "supervisor", 0, fds, count, (int)arg[0]);
	int error = errno;
	close(through);
	errno = error;
	return (ret < 0) ? -1 : 0;
}

static void receive_call(struct slot *slot, int me)
{
	int fds[MESSAGE_FDS + 1], note, flags = 0;
	int through = parked_socket("task", me, (int)slot->arg[4]);
	set_state(slot, OPENING);
	int count = receive_fds(through, fds, (int)slot->arg[0], slot->arg[1] ? MSG_CMSG_CLOEXEC : 0, &note, &flags);
	close(through);
	size_t length = 0;
	for (int i = 0; i < count; i++)
		length += snprintf(slot->text + length, TEXT - length, "%s%d%s", i ? " " : "", fds[i],
			fcntl(fds[i], F_GETFD) == 1 ? "+" : "");
	snprintf(slot->text + length, TEXT - length, "%s%s", length ? "" : "none", (flags & MSG_CTRUNC) ? " truncated" : "");
}

static void read_call(struct slot *slot, int fd, size_t count)
{
	static char buffer[1 << 16];
	ssize_t got = read(fd, buffer, count < sizeof buffer ? count : sizeof buffer);
	unsigned sum = 0;
	for (ssize_t i = 0; i < got; i++)
		sum += (unsigned char)buffer[i];
	slot->ret = got;
	if (got >= 0)
		snprintf(slot->text, TEXT, "%zd/%u", got, sum);
}

static long write_call(int fd, size_t count)
{
	static char buffer[1 << 16];
	if (buffer[0] == 0)
		for (size_t i = 0; i < sizeof buffer; i++)
			buffer[i] = (char)('a' + i % 26);
	return write(fd, buffer, count < sizeof buffer ? count : sizeof buffer);
}

static long pipe_call(struct slot *slot, int flags)
{
	int ends[2];
	long ret = syscall(SYS_pipe2, ends, flags);
	if (ret == 0)
		snprintf(slot->text, TEXT, "%d%s %d%s", ends[0], fcntl(ends[0], F_GETFD) == 1 ? "+" : "", ends[1],
			fcntl(ends[1], F_GETFD) == 1 ? "+" : "");
	return ret;
}

static long getfd_call(long *arg)
{
	int pidfd = parked_pidfd(shm->slot[arg[0]].pid, (int)arg[4]);
	if (pidfd < 0)
		return -1;
	long ret = syscall(SYS_pidfd_getfd, pidfd, (int)arg[1], 0);
	int error = errno;
	close(pidfd);
	errno = error;
	return ret;
}

static void execute(int me);

static void task(int me)
{
	struct slot *slot = &shm->slot[me];
	for (;;) {
		while (atomic_load(&slot->state) != GO)
			futex_wait(&slot->state, atomic_load(&slot->state) == GO ? DONE : atomic_load(&slot->state), 1000);
		execute(me);
	}
}

static int is(const struct slot *slot, const char *call)
{
	return strcmp(slot->call, call) == 0;
}

static void execute(int me)
{
	struct slot *slot = &shm->slot[me];
	long *arg = slot->arg;
	long ret = 0;
	int makes_fd = 0;
	slot->text[0] = 0;
	errno = 0;
	if (is(slot, "open")) {
		ret = open_kind(arg[0], (int)arg[1]);
		makes_fd = 1;
	}
	else if (is(slot, "close"))
		ret = syscall(SYS_close, (int)arg[0]);
	else if (is(slot, "close_range"))
		ret = syscall(SYS_close_range, (unsigned)arg[0], (unsigned)arg[1], (unsigned)arg[2]);
	else if (is(slot, "dup")) {
		ret = syscall(SYS_dup, (int)arg[0]);
		makes_fd = 1;
	}
	else if (is(slot, "dup2")) {
#ifdef SYS_dup2
		ret = syscall(SYS_dup2, (int)arg[0], (int)arg[1]);
#else
		ret = dup2((int)arg[0], (int)arg[1]);
#endif
		makes_fd = 1;
	}
	else if (is(slot, "dup3")) {
		ret = syscall(SYS_dup3, (int)arg[0], (int)arg[1], (int)arg[2]);
		makes_fd = 1;
	}
	else if (is(slot, "fcntl")) {
		ret = syscall(SYS_fcntl, (int)arg[0], (unsigned)arg[1], arg[2]);
		makes_fd = arg[1] == F_DUPFD || arg[1] == F_DUPFD_CLOEXEC;
	}
	else if (is(slot, "fork")) {
		int child = (int)arg[1];
		ret = syscall(SYS_clone, CLONE_PARENT | SIGCHLD | (arg[0] ? CLONE_FILES : 0), 0, 0, 0, 0);
		if (ret == 0) {
			become_task();
			task(child);
		}
		if (ret > 0) {
			shm->slot[child].pid = (int)ret;
			ret = child;
		}
	}
	else if (is(slot, "unshare"))
		ret = unshare(CLONE_FILES);
	else if (is(slot, "exec")) {
		char number[8];
		snprintf(number, sizeof number, "%d", me);
		char *argv[] = { "fdoracle", "--resume", shmid_text, number, NULL };
		char *env[] = { NULL };
		ret = execve("/proc/self/exe", argv, env);
	}
	else if (is(slot, "exit"))
		syscall(SYS_exit_group, 0);
	else if (is(slot, "prlimit")) {
		unsigned long limit[2] = { (unsigned long)arg[0], (unsigned long)arg[1] };
		ret = syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, NULL);
	}
	else if (is(slot, "reserve")) {
		char path[600];
		snprintf(path, sizeof path, "%s/fifo%d", shm->directory, me);
		set_state(slot, OPENING);
		ret = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | (arg[0] ? O_CLOEXEC : 0), 0);
		makes_fd = 1;
	}
	else if (is(slot, "lseek"))
		ret = syscall(SYS_lseek, (int)arg[0], arg[1], (int)arg[2]);
	else if (is(slot, "read")) {
		read_call(slot, (int)arg[0], (size_t)arg[1]);
		ret = slot->ret;
	}
	else if (is(slot, "write"))
		ret = write_call((int)arg[0], (size_t)arg[1]);
	else if (is(slot, "pipe"))
		ret = pipe_call(slot, (int)arg[0]);
	else if (is(slot, "getfd")) {
		ret = getfd_call(arg);
		makes_fd = 1;
	}
	else if (is(slot, "send"))
		ret = send_call(arg);
	else if (is(slot, "receive"))
		receive_call(slot, me);
	else if (is(slot, "dump"))
		dump(slot, (int)arg[0]);
	else if (is(slot, "fill"))
		fill(slot, (int)arg[0], arg[1]);
	else if (is(slot, "close_every"))
		close_every(slot, (int)arg[0], (int)arg[1], (int)arg[2]);
	else {
		errno = ENOSYS;
		ret = -1;
	}
	slot->error = (ret < 0) ? errno : 0;
	slot->ret = ret;
	slot->cloexec = (makes_fd && ret >= 0) ? fcntl((int)ret, F_GETFD) : -1;
	set_state(slot, DONE);
}

/* ---- What the supervisor does ---- */

/* Returns 0 if the task does not answer. */
static int await(struct slot *slot, unsigned unwanted)
{
	for (int tries = 0; tries < 100; tries++) {
		for (int spin = 0; spin < 100; spin++)
			if (atomic_load(&slot->state) != unwanted)
				return 1;
		futex_wait(&slot->state, unwanted, 100);
	}
	return atomic_load(&slot->state) != unwanted;
}

static int read_file(int fd, char *buffer, size_t size)
{
	ssize_t got = pread(fd, buffer, size - 1, 0);
	buffer[got < 0 ? 0 : got] = 0;
	return got > 0;
}

static long fd_size(struct slot *slot)
{
	char buffer[4096];
	if (slot->status < 0) {
		snprintf(buffer, sizeof buffer, "/proc/%d/status", slot->pid);
		slot->status = open(buffer, O_RDONLY | O_CLOEXEC);
	}
	if (!read_file(slot->status, buffer, sizeof buffer))
		return -1;
	const char *line = strstr(buffer, "\nFDSize:");
	return line ? atol(line + 8) : -1;
}

static int sleeps(struct slot *slot)
{
	char buffer[512];
	snprintf(buffer, sizeof buffer, "/proc/%d/stat", slot->pid);
	int fd = open(buffer, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	read_file(fd, buffer, sizeof buffer);
	close(fd);
	const char *end = strrchr(buffer, ')');
	return end != NULL && end[2] == 'S';
}

static int mailbox; /* where the tasks send to */

/* Takes the message that a task has just sent and keeps it for its receiver. */
static void collect(void)
{
	int fds[MESSAGE_FDS + 1], flags, to = 0;
	int count = receive_fds(mailbox, fds, MESSAGE_FDS, MSG_CMSG_CLOEXEC, &to, &flags);
	struct slot *slot = &shm->slot[to];
	if (count < 0 || slot->queued == MESSAGES)
		die("collect");
	int *message = slot->message[slot->queued++];
	message[0] = count;
	memcpy(message + 1, fds, sizeof(int) * (size_t)count);
}

static void drop_first(struct slot *slot)
{
	for (int i = 1; i <= slot->message[0][0]; i++)
		close(slot->message[0][i]);
	slot->queued--;
	memmove(slot->message[0], slot->message[1], sizeof slot->message[0] * (size_t)slot->queued);
}

static void forget(struct slot *slot)
{
	waitpid(slot->pid, NULL, 0);
	if (slot->status >= 0)
		close(slot->status);
	while (slot->queued > 0)
		drop_first(slot);
	slot->status = -1;
	slot->alive = 0;
	slot->blocked = 0;
	atomic_store(&slot->state, IDLE);
}

static void deliver(struct slot *slot, int number)
{
	if (send_fds(mailbox, "task", number, slot->message[0] + 1, slot->message[0][0], 0) < 0)
		die("deliver");
	drop_first(slot);
}

static void print_result(struct slot *slot)
{
	if (slot->error)
		printf("%s", strerrorname_np(slot->error));
	else if (slot->text[0])
		printf("%s", slot->text);
	else
		printf("%ld%s", slot->ret, slot->cloexec == 1 ? "+" : "");
}

/* Returns 0 if the task hangs. */
static int reserve(struct slot *slot)
{
	for (int tries = 0; tries < 100000; tries++) {
		if (atomic_load(&slot->state) == DONE)
			return 1;
		if (sleeps(slot)) {
			/* Having failed, it sleeps too, but then it has said so before. */
			slot->blocked = atomic_load(&slot->state) != DONE;
			return 1;
		}
		sched_yield();
	}
	return 0;
}

static int run_line(char *line)
{
	int number = 0, used = 0;
	char call[24] = "";
	long arg[ARGS] = { 0 };
	sscanf(line, "%d %23s%n", &number, call, &used);
	for (int i = 0, more = 0; i < ARGS && sscanf(line + used, "%ld%n", &arg[i], &more) == 1; i++)
		used += more;
	struct slot *slot = &shm->slot[number];
	memcpy(slot->call, call, sizeof call);
	memcpy(slot->arg, arg, sizeof arg);
	if (!slot->alive) {
		printf("no task\t-1\n");
		return 1;
	}
	if (is(slot, "install")) {
		char path[600];
		snprintf(path, sizeof path, "%s/fifo%d", shm->directory, number);
		int writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		int answered = await(slot, OPENING);
		close(writer);
		if (!answered)
			return 0;
		slot->blocked = 0;
		print_result(slot);
	}
	else if (is(slot, "release")) {
		kill(slot->pid, SIGUSR1);
		if (!await(slot, OPENING))
			return 0;
		slot->blocked = 0;
		printf("%s", slot->error == EINTR ? "0" : "not interrupted");
	}
	else {
		if (is(slot, "fork")) {
			struct slot *child = &shm->slot[arg[1]];
			atomic_store(&child->state, IDLE);
			child->alive = 1;
		}
		if (is(slot, "dump"))
			slot->arg[0] = fd_size(slot);
		if (is(slot, "getfd") || is(slot, "send") || is(slot, "receive"))
			slot->arg[4] = fd_size(slot);
		if (is(slot, "receive") && slot->queued == 0) {
			printf("EAGAIN\t%ld\n", fd_size(slot));
			return 1;
		}
		set_state(slot, GO);
		if (is(slot, "exit")) {
			forget(slot);
			printf("0\t0\n");
			return 1;
		}
		if (!await(slot, GO))
			return 0;
		if (is(slot, "receive")) {
			deliver(slot, number);
			if (!await(slot, OPENING))
				return 0;
		}
		else if (atomic_load(&slot->state) == OPENING && !reserve(slot))
			return 0;
		if (is(slot, "send") && slot->error == 0)
			collect();
		if (is(slot, "fork") && slot->error)
			shm->slot[arg[1]].alive = 0;
		if (slot->blocked)
			printf("blocked");
		else if (is(slot, "dump") && !slot->text[0])
			printf("nothing");
		else
			print_result(slot);
	}
	printf("\t%ld\n", fd_size(slot));
	return 1;
}

static void empty_regular_file(void)
{
	char path[600];
	snprintf(path, sizeof path, "%s/regular", shm->directory);
	truncate(path, 0);
}

static void start_first(unsigned long soft, unsigned long hard)
{
	struct slot *slot = &shm->slot[0];
	atomic_store(&slot->state, IDLE);
	slot->alive = 1;
	fflush(stdout);
	empty_regular_file();
	int pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		become_task();
		syscall(SYS_close_range, 0u, ~0u, 0u);
		open("/dev/null", O_RDONLY);
		open("/dev/null", O_WRONLY);
		open("/dev/null", O_WRONLY);
		struct rlimit limit = { soft, hard };
		setrlimit(RLIMIT_NOFILE, &limit);
		task(0);
	}
	slot->pid = pid;
}

static void kill_all(void)
{
	for (int i = 0; i < TASKS; i++)
		if (shm->slot[i].alive)
			kill(shm->slot[i].pid, SIGKILL);
	for (int i = 0; i < TASKS; i++)
		if (shm->slot[i].alive)
			forget(&shm->slot[i]);
}

static void run_script(unsigned long soft, unsigned long hard, char lines[][LINE], int count)
{
	start_first(soft, hard);
	int hangs = 0;
	for (int i = 0; i < count; i++) {
		if (!hangs && !run_line(lines[i]))
			hangs = 1;
		if (hangs)
			printf("hangs\t-1\n");
	}
	kill_all();
	printf("end\n");
	fflush(stdout);
}

/* So that limits bind as they do for everybody; also across exec, which would give root all of it back. */
static void drop_privileges(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];
	const unsigned mask = 1u << CAP_SYS_RESOURCE | 1u << CAP_SYS_ADMIN;
	prctl(PR_CAPBSET_DROP, CAP_SYS_RESOURCE, 0, 0, 0);
	prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0);
	if (syscall(SYS_capget, &header, data) != 0)
		return;
	data[0].effective &= ~mask;
	data[0].permitted &= ~mask;
	data[0].inheritable &= ~mask;
	syscall(SYS_capset, &header, data);
}

static void resume(const char *shared, int me)
{
	shmid = atoi(shared);
	snprintf(shmid_text, sizeof shmid_text, "%d", shmid);
	shm = shmat(shmid, NULL, 0);
	if (shm == (void *)-1)
		_exit(1);
	become_task();
	catch_interrupts();
	struct slot *slot = &shm->slot[me];
	slot->ret = 0;
	slot->error = 0;
	slot->cloexec = -1;
	set_state(slot, DONE);
	task(me);
}

static void prepare(const char *directory)
{
	shmid = shmget(IPC_PRIVATE, sizeof(struct shared), IPC_CREAT | 0600);
	if (shmid < 0)
		die("shmget");
	shm = shmat(shmid, NULL, 0);
	if (shm == (void *)-1)
		die("shmat");
	/* Gone with its last user. A task can still attach it by number until then. */
	shmctl(shmid, IPC_RMID, NULL);
	snprintf(shmid_text, sizeof shmid_text, "%d", shmid);
	snprintf(shm->directory, sizeof shm->directory, "%s", directory);
	shm->supervisor = getpid();
	mailbox = bound_socket("supervisor", 0);
	if (mailbox < 0)
		die("mailbox");
	fcntl(mailbox, F_SETFD, FD_CLOEXEC);
	char path[600];
	for (int i = 0; i < TASKS; i++) {
		shm->slot[i].status = -1;
		snprintf(path, sizeof path, "%s/fifo%d", directory, i);
		if (mkfifo(path, 0600) != 0 && errno != EEXIST)
			die(path);
	}
	snprintf(path, sizeof path, "%s/regular", directory);
	int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		die(path);
	close(fd);
}

static long nr_open(void)
{
	char buffer[32] = "";
	int fd = open("/proc/sys/fs/nr_open", O_RDONLY | O_CLOEXEC);
	read_file(fd, buffer, sizeof buffer);
	close(fd);
	return atol(buffer);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--resume") == 0)
		resume(argv[2], atoi(argv[3]));
	if (argc != 2) {
		fprintf(stderr, "usage: fdoracle DIRECTORY < script\n");
		return 2;
	}
	/* What the caller left open would widen the tables of the tasks. */
	syscall(SYS_close_range, 3u, ~0u, 0u);
	drop_privileges();
	catch_interrupts();
	signal(SIGPIPE, SIG_IGN);
	prepare(argv[1]);

	struct utsname kernel;
	struct rlimit limit;
	uname(&kernel);
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("%s %s %s\t%lu\t%ld\n", kernel.sysname, kernel.release, kernel.machine, (unsigned long)limit.rlim_max,
		nr_open());
	fflush(stdout);

	static char lines[LINES][LINE];
	unsigned long soft = 0, hard = 0;
	int count = 0;
	char line[LINE];
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (sscanf(line, "seq %lu %lu", &soft, &hard) == 2)
			count = 0;
		else if (strncmp(line, "end", 3) == 0)
			run_script(soft, hard, lines, count);
		else if (count < LINES)
			memcpy(lines[count++], line, LINE);
	}
	return 0;
}

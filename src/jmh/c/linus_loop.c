/* Repeats close(3); dup2(0, 3); dup(0) until there are so many descriptors, ten times
 * over, and prints the median time of one whole loop in nanoseconds.
 *
 * gcc -O2 -o linus_loop linus_loop.c && ./linus_loop 19000 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LOOPS = 10 };

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int size = argc > 1 ? atoi(argv[1]) : 19000;
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	long long took[LOOPS];
	for (int i = 0; i < LOOPS; i++) {
		for (int fd = 3; fd < size; fd++)
			close(fd);
		long long start = now();
		dup(0);
		int fd = 3;
		while (fd < size - 1) {
			close(3);
			dup2(0, 3);
			fd = dup(0);
			if (fd < 0) {
				perror("dup");
				return 1;
			}
		}
		took[i] = now() - start;
	}
	qsort(took, LOOPS, sizeof took[0], ascending);
	printf("%lld\n", took[LOOPS / 2]);
	return 0;
}

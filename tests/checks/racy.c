/* A data race, to see that ThreadSanitizer sees one: .ci/check threads expects a report. */
#include <pthread.h>

static int shared;

static void *add(void *unused) {
    for (int i = 0; i < 100000; i++) shared++;
    return unused;
}

int race(void) {
    pthread_t one, other;
    pthread_create(&one, 0, add, 0);
    pthread_create(&other, 0, add, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return shared;
}

/* Trick: environment variables of the adapter name a library to preload. Where the harness sets them for a process of its own,
 * before that confines itself and becomes the program, this code runs unconfined.
 *
 * Gain: everything. Here it writes a file beside the adapter.
 *
 * Compile with: cc -shared -fPIC */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void enter(void) {
    Dl_info own;
    char path[4096];
    if (dladdr((void *)&enter, &own) == 0 || strlen(own.dli_fname) > sizeof path - 16) {
        return;
    }
    strcpy(path, own.dli_fname);
    strcat(path, ".escaped");
    const int file = open(path, O_CREAT | O_WRONLY, 0644);
    if (file >= 0) {
        close(file);
    }
}

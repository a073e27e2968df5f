// A stand-in for NCCL, for tests of what calls it: types and signatures as in nccl.h of 2.28, for devices whose memory is the host's. Processes
// of one host exchange files in a temporary folder, whose path is the communicator's number. As NCCL does in the background, a rank goes on
// when it is asked how far it is, and says so when another is gone. Calls are written to a log.
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

typedef struct { char internal[128]; } ncclUniqueId;
typedef struct {
    size_t size;
    unsigned int magic;
    unsigned int version;
    int blocking;
    int cgaClusterSize;
    int minCTAs;
    int maxCTAs;
    const char *netName;
    int splitShare;
    int trafficClass;
    const char *commName;
    int collnetEnable;
    int CTAPolicy;
    int shrinkShare;
    int nvlsCTAs;
    int nChannelsPerNetPeer;
    int nvlinkCentricSched;
} ncclConfig_t;

enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, REMOTE_ERROR = 6, IN_PROGRESS = 7 };

struct Awaited {
    std::string file;
    void *to;
    size_t bytes;
    int root;
};

struct Communicator {
    std::string folder;
    int rank, size;
    int alive;  // Locked for as long as this rank is there.
    bool joined, in_use;
    int busy;  // How often it is still to answer that it is at work.
    long broadcasts;
    std::vector<Awaited> awaited;

    std::string path(const std::string &name) const { return folder + "/" + name; }
    std::string path_alive(int of) const { return path("alive-" + std::to_string(of)); }
};
typedef Communicator *ncclComm_t;

namespace {
int depth;
size_t length;

bool is_there(const std::string &path) { return access(path.c_str(), F_OK) == 0; }

// Whether the rank has come and not gone.
bool is_alive(const Communicator &comm, int rank) {
    int file = open(comm.path_alive(rank).c_str(), O_RDONLY);
    if (file < 0) return false;
    bool alive = flock(file, LOCK_SH | LOCK_NB) != 0;
    close(file);
    return alive;
}

bool write_file(const std::string &path, const void *bytes, size_t count) {
    FILE *file = fopen(path.c_str(), "wb");
    if (!file) return false;
    bool whole = fwrite(bytes, 1, count, file) == count;
    return fclose(file) == 0 && whole;
}

// What the next bytes that a rank waits for are: there, on their way, or never to come.
int take(const Communicator &comm, const Awaited &next) {
    bool alive = is_alive(comm, next.root);
    FILE *file = fopen(next.file.c_str(), "rb");
    if (!file) return alive ? IN_PROGRESS : REMOTE_ERROR;
    bool whole = fread(next.to, 1, next.bytes, file) == next.bytes && fgetc(file) == EOF;
    fclose(file);
    unlink(next.file.c_str());
    return whole ? SUCCESS : INVALID_ARGUMENT;
}

int go_on(Communicator &comm) {
    if (!comm.joined) {
        int here = 0;
        for (int rank = 0; rank < comm.size; rank++) here += is_alive(comm, rank);
        comm.joined = here == comm.size || is_there(comm.path("joined"));
        if (!comm.joined) return IN_PROGRESS;
        write_file(comm.path("joined"), "", 0);
    }
    while (!comm.awaited.empty()) {
        int taken = take(comm, comm.awaited.front());
        if (taken != SUCCESS) return taken;
        comm.awaited.erase(comm.awaited.begin());
    }
    return SUCCESS;
}

// The last one to go takes the folder along.
void leave(Communicator &comm) {
    unlink(comm.path_alive(comm.rank).c_str());
    close(comm.alive);
    for (int rank = 0; rank < comm.size; rank++)
        if (is_alive(comm, rank)) return;
    if (DIR *all = opendir(comm.folder.c_str())) {
        while (dirent *entry = readdir(all)) unlink(comm.path(entry->d_name).c_str());
        closedir(all);
    }
    rmdir(comm.folder.c_str());
}
}  // namespace

extern "C" {
int repro_stand_in = 1;

// What a test sets, and reads.
int answer_version = 22809, answer_init = 0, answer_broadcast = 0, answer_group_end = 0, answer_async = 0, busy_for = 0;
const char *answer_last_error = "";
char written[1 << 16];

static void log_call(const char *format, ...) {
    if (length > sizeof written - 256) return;
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(written + length, sizeof written - length, format, arguments);
    va_end(arguments);
}

static std::vector<ncclComm_t> communicators;

int ncclGetVersion(int *version) { return *version = answer_version, SUCCESS; }

int ncclGetUniqueId(ncclUniqueId *id) {
    const char *temporary = getenv("TMPDIR");
    memset(id, 0, sizeof *id);
    int written = snprintf(id->internal, sizeof id->internal, "%s/nccl-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    return written < (int)sizeof id->internal && mkdtemp(id->internal) ? SUCCESS : SYSTEM_ERROR;
}

const char *ncclGetErrorString(int code) {
    return code == SYSTEM_ERROR       ? "unhandled system error"
           : code == INVALID_ARGUMENT ? "invalid argument"
           : code == REMOTE_ERROR     ? "remote process exited or there was a network error"
                                      : "another error";
}

const char *ncclGetLastError(ncclComm_t) { return answer_last_error; }

int ncclGroupStart() {
    depth++;
    log_call("start\n");
    return SUCCESS;
}

int ncclGroupEnd() {
    depth--;
    log_call("end\n");
    if (answer_group_end) return answer_group_end;
    for (ncclComm_t comm : communicators)
        if (comm->in_use) comm->busy = busy_for;
    return IN_PROGRESS;
}

int ncclCommInitRankConfig(ncclComm_t *comm, int size, ncclUniqueId id, int rank, ncclConfig_t *c) {
    int configuration_is_right =
        c->size == sizeof *c && c->magic == 0xcafebeef && c->version == 22800 && c->blocking == 0 && !c->netName && !c->commName &&
        c->cgaClusterSize == INT_MIN && c->minCTAs == INT_MIN && c->maxCTAs == 4 && c->splitShare == INT_MIN &&
        c->trafficClass == INT_MIN && c->collnetEnable == INT_MIN && c->CTAPolicy == INT_MIN && c->shrinkShare == INT_MIN &&
        c->nvlsCTAs == INT_MIN && c->nChannelsPerNetPeer == INT_MIN && c->nvlinkCentricSched == INT_MIN;
    log_call("init %d of %d%s%s\n", rank, size, depth ? "" : " outside of a group",
        configuration_is_right ? "" : " with another configuration");
    if (answer_init) return answer_init;
    Communicator *joining = new Communicator{std::string(id.internal, strnlen(id.internal, 128)), rank, size, -1, false, true, 0, 0, {}};
    // It has its name once it is locked.
    std::string unlocked = joining->path("new-" + std::to_string(rank));
    joining->alive = open(unlocked.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (joining->alive < 0 || flock(joining->alive, LOCK_EX | LOCK_NB) ||
        rename(unlocked.c_str(), joining->path_alive(rank).c_str())) {
        delete joining;
        return SYSTEM_ERROR;
    }
    communicators.push_back(*comm = joining);
    return SUCCESS;
}

int ncclBroadcast(const void *from, void *to, size_t bytes, int type, int root, ncclComm_t comm, void *) {
    log_call("broadcast %d: %zu of type %d from %d%s\n", comm->rank, bytes, type, root, depth ? "" : " outside of a group");
    if (answer_broadcast) return answer_broadcast;
    std::string name = comm->path(std::to_string(comm->broadcasts++) + "-");
    if (comm->rank != root) {
        comm->awaited.push_back({name + std::to_string(comm->rank), to, bytes, root});
        return SUCCESS;
    }
    if (to != from) memmove(to, from, bytes);
    for (int rank = 0; rank < comm->size; rank++) {
        std::string file = name + std::to_string(rank), unfinished = file + "-new";
        if (rank != root && (!write_file(unfinished, from, bytes) || rename(unfinished.c_str(), file.c_str()))) return SYSTEM_ERROR;
    }
    return SUCCESS;
}

int ncclCommGetAsyncError(ncclComm_t comm, int *state) {
    if (!comm->in_use) return INVALID_ARGUMENT;
    *state = answer_async ? answer_async : comm->busy > 0 ? IN_PROGRESS : go_on(*comm);
    comm->busy -= comm->busy > 0;
    return SUCCESS;
}

int ncclCommDestroy(ncclComm_t comm) {
    log_call("destroy %d%s\n", comm->rank, comm->in_use ? "" : " again");
    if (comm->in_use) leave(*comm);
    comm->in_use = false;
    return SUCCESS;
}

int ncclCommAbort(ncclComm_t comm) {
    log_call("abort %d%s\n", comm->rank, comm->in_use ? "" : " again");
    if (comm->in_use) leave(*comm);
    comm->in_use = false;
    return SUCCESS;
}
}
